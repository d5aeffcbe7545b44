// Call every method of masto's REST client that an ordinary user can call, and check the effect.
import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { createOAuthAPIClient, createRestAPIClient } from 'masto'
import {
  finish, inTenMinutes, newName, PASSWORD, PICTURE, pushSubscription, recordCall, refused, step, until, URL_OF_SITE,
} from './sweep.mjs'

const MISSING = '4294967296'

/** Return a client that records the calls of its methods as in `methodsOfClient`. */
function recorded(target, path = '') {
  return new Proxy(() => {}, {
    get: (_target, key) => (typeof key === 'string' ? recorded(target[key], path ? `${path}.${key}` : key) : undefined),
    apply: (_target, _this, args) => {
      if (path.endsWith('$select')) return recorded(target(...args), path)
      recordCall(path)
      return target(...args)
    },
  })
}

/** Read the methods from the types of the package, because the client itself is a proxy without methods. */
function methodsOfClient() {
  const folder = new URL('mastodon/rest/', import.meta.resolve('masto'))
  const members = new Map()
  for (const version of ['v1', 'v2']) {
    for (const file of readdirSync(new URL(`${version}/`, folder), { recursive: true })) {
      if (!file.endsWith('.d.ts') || file.startsWith('admin')) continue
      const text = readFileSync(new URL(`${version}/${file}`, folder), 'utf8').replace(/\/\*[^]*?\*\//g, '')
      for (const [, name, body] of text.matchAll(/^export interface (\S+Resource) \{\n([^]*?)^\}/gm)) {
        members.set(`${version}.${name}`, body)
      }
    }
  }
  const methods = []
  const addMethods = (body, path, version) => {
    for (const [, member, type] of body.matchAll(/^ {4}([\w$]+)(?:\([^)]*\))?: (?:v\d\.)?([\w$]*)/gm)) {
      if (member === 'admin') continue
      const inner = members.get(`${version}.${type}`)
      if (type.endsWith('Resource')) assert(inner, `no ${type}`)
      inner ? addMethods(inner, `${path}.${member}`, version) : methods.push(`${path}.${member}`)
    }
  }
  const client = readFileSync(new URL('client.d.ts', folder), 'utf8')
  for (const [, version, body] of client.matchAll(/^export interface (V\d)Resource \{\n([^]*?)^\}/gm)) {
    addMethods(body, version.toLowerCase(), version.toLowerCase())
  }
  assert(methods.length > 150, 'the types have another form')
  return methods
}

const connect = accessToken => recorded(createRestAPIClient({ url: URL_OF_SITE, accessToken }))
const oauth = createOAuthAPIClient({ url: URL_OF_SITE })
const ids = rows => rows.map(row => row.id)
const picture = () => new Blob([readFileSync(PICTURE)], { type: 'image/png' })

const visitor = connect()
const app = await visitor.v1.apps.create({
  clientName: 'Sweep', redirectUris: 'urn:ietf:wg:oauth:2.0:oob', scopes: 'read write follow push',
})
const appToken = await oauth.token.create({
  grantType: 'client_credentials', clientId: app.clientId, clientSecret: app.clientSecret,
  redirectUri: 'urn:ietf:wg:oauth:2.0:oob', scope: 'read write',
})

/** Sign up. Return the client of the new user, with `id` and `name`. */
async function signUp() {
  const name = newName()
  const token = await connect(appToken.accessToken).v1.accounts.create({
    username: name, email: `${name}@example.com`, password: PASSWORD, agreement: true, locale: 'en',
  })
  const client = connect(token.accessToken)
  const account = await client.v1.accounts.verifyCredentials()
  assert.equal(account.username, name)
  return { ...{ v1: client.v1, v2: client.v2 }, id: account.id, name }
}

const [alice, bob, carol] = [await signUp(), await signUp(), await signUp()]
const publish = (user, status, more = {}) => user.v1.statuses.create({ status, visibility: 'public', ...more })
const about = (user, other) => user.v1.accounts.relationships.fetch({ id: [other.id] }).then(rows => rows[0])
const person = (user, other) => user.v1.accounts.$select(other.id)
const gone = call => refused(404, 'it was deleted', call)

await step('apps', async () => {
  assert.equal((await alice.v1.apps.verifyCredentials()).name, 'Sweep')
})

await step('own account', async () => {
  const changes = {
    displayName: 'Alice', note: 'I bake', bot: true, locked: true, fieldsAttributes: [{ name: 'City', value: 'Rome' }],
    source: { privacy: 'unlisted', language: 'it' },
  }
  const before = await alice.v1.accounts.verifyCredentials()
  await alice.v1.accounts.updateCredentials({ ...changes, avatar: picture(), header: picture() })
  const after = await alice.v1.accounts.verifyCredentials()
  assert.deepEqual(
    [after.displayName, after.source.note, after.bot, after.locked, after.source.privacy, after.source.language],
    ['Alice', 'I bake', true, true, 'unlisted', 'it'],
  )
  assert.deepEqual([after.source.fields[0].name, after.source.fields[0].value], ['City', 'Rome'])
  assert.notEqual(after.avatar, before.avatar)
  assert.notEqual(after.header, before.header)
  const preferences = await alice.v1.preferences.fetch()
  assert.equal(preferences['posting:default:visibility'], 'unlisted')
  assert.equal(preferences['posting:default:language'], 'it')
  await alice.v1.profile.avatar.remove()
  await alice.v1.profile.header.remove()
  const without = await alice.v1.accounts.verifyCredentials()
  assert.equal(without.avatar, before.avatar)
  assert.equal(without.header, before.header)
  await alice.v1.accounts.updateCredentials({ bot: false, locked: false, source: { privacy: 'public' } })
  const back = await alice.v1.accounts.verifyCredentials()
  assert.deepEqual([back.bot, back.locked, back.source.privacy], [false, false, 'public'])
  const own = alice.v1.accounts
  await own.updateCredentials({ discoverable: false })
  assert.equal((await own.verifyCredentials()).discoverable, false)
  assert.equal(ids(await alice.v1.directory.list({ order: 'new' })).includes(alice.id), false)
  await own.updateCredentials({ discoverable: true })
  await refused(422, 'only a private account hides its lists', () => own.updateCredentials({ hideCollections: true }))
  await own.updateCredentials({ source: { sensitive: true } })
  assert.equal((await alice.v1.preferences.fetch())['posting:default:sensitive'], true)
  await own.updateCredentials({ source: { sensitive: false } })
  assert.equal((await own.verifyCredentials()).source.sensitive, false)
  await refused(404, 'update_credentials does it', () => alice.v1.profile.fetch())
  await refused(404, 'update_credentials does it', () => alice.v1.profile.update({ displayName: 'Al' }))
  await refused(404, 'pages of the site do it', () => alice.v1.emails.confirmations.create())
})

await step('accounts', async () => {
  assert.equal((await person(alice, bob).fetch()).username, bob.name)
  assert.deepEqual(ids(await alice.v1.accounts.fetch({ id: [bob.id, carol.id] })), [bob.id, carol.id])
  assert.equal((await alice.v1.accounts.lookup({ acct: bob.name })).id, bob.id)
  assert.deepEqual(ids(await alice.v1.accounts.search.list({ q: bob.name })), [bob.id])
  await person(alice, bob).follow({ notify: true, reblogs: false })
  const follow = await about(alice, bob)
  assert.deepEqual([follow.following, follow.notifying, follow.showingReblogs], [true, true, false])
  assert.deepEqual(ids(await person(alice, alice).following.list()), [bob.id])
  assert.deepEqual(ids(await person(alice, bob).followers.list()), [alice.id])
  await person(carol, bob).follow()
  await person(alice, carol).follow()
  const [familiar] = await alice.v1.accounts.familiarFollowers.fetch({ id: [bob.id] })
  assert.deepEqual(ids(familiar.accounts), [carol.id])
  await person(alice, bob).note.create({ comment: 'From school' })
  assert.equal((await about(alice, bob)).note, 'From school')
  await person(bob, alice).removeFromFollowers()
  assert.equal((await about(alice, bob)).following, false)
  await person(alice, bob).follow()
  await person(alice, bob).unfollow()
  assert.equal((await about(alice, bob)).following, false)
  await person(alice, bob).follow({ languages: ['it'] })
  assert.deepEqual((await about(alice, bob)).languages, ['it'])
  await person(alice, bob).follow({ languages: [] })
  assert.equal((await about(alice, bob)).languages, null)
  await person(alice, bob).follow()
  await refused(404, 'other sites do not exist', () => person(alice, bob).identityProofs.list())
  for (const list of ['collections', 'inCollections']) {
    await refused(404, 'there are no collections', () => person(alice, bob)[list].list())
  }
})

await step('blocks and mutes', async () => {
  await person(alice, carol).block()
  assert.equal((await about(alice, carol)).blocking, true)
  assert.deepEqual(ids(await alice.v1.blocks.list()), [carol.id])
  await person(alice, carol).unblock()
  assert.deepEqual(await alice.v1.blocks.list(), [])
  await person(alice, carol).mute({ duration: 3600 })
  const [muted] = await alice.v1.mutes.list()
  assert.equal(muted.id, carol.id)
  assert(new Date(muted.muteExpiresAt) > new Date())
  await person(alice, carol).unmute()
  assert.deepEqual(await alice.v1.mutes.list(), [])
  await person(alice, carol).mute({ notifications: false })
  const audible = await about(alice, carol)
  assert.deepEqual([audible.muting, audible.mutingNotifications], [true, false])
  await person(alice, carol).unmute()
  const domain = 'elsewhere.example'
  await refused(422, 'there are no other sites', () => alice.v1.domainBlocks.create({ domain }))
  assert.deepEqual(await alice.v1.domainBlocks.list(), [])
  await alice.v1.domainBlocks.remove({ domain })
})

await step('endorsements', async () => {
  await person(alice, bob).follow()
  for (const [add, remove] of [['endorse', 'unendorse'], ['pin', 'unpin']]) {
    assert.equal((await person(alice, bob)[add]()).endorsed, true)
    assert.deepEqual(ids(await alice.v1.endorsements.list()), [bob.id])
    assert.deepEqual(ids(await person(carol, alice).endorsements.list()), [bob.id])
    assert.equal((await person(alice, bob)[remove]()).endorsed, false)
  }
  assert.deepEqual(await alice.v1.endorsements.list(), [])
  assert.deepEqual(await person(carol, alice).endorsements.list(), [])
})

await step('follow requests', async () => {
  await bob.v1.accounts.updateCredentials({ locked: true })
  const dora = await signUp()
  await person(dora, bob).follow()
  assert.equal((await about(dora, bob)).requested, true)
  assert.deepEqual(ids(await bob.v1.followRequests.list()), [dora.id])
  await bob.v1.followRequests.$select(dora.id).reject()
  assert.deepEqual(await bob.v1.followRequests.list(), [])
  assert.equal((await about(dora, bob)).requested, false)
  await person(dora, bob).follow()
  await bob.v1.followRequests.$select(dora.id).authorize()
  assert.equal((await about(dora, bob)).following, true)
  await bob.v1.accounts.updateCredentials({ locked: false })
})

await step('posts', async () => {
  const { id } = await publish(alice, 'Bread #baking', { spoilerText: 'Food', language: 'en' })
  const status = user => user.v1.statuses.$select(id)
  const shown = await status(bob).fetch()
  assert.deepEqual([shown.spoilerText, shown.language, shown.visibility], ['Food', 'en', 'public'])
  assert.deepEqual(ids(await alice.v1.statuses.fetch({ id: [id] })), [id])
  await status(alice).update({ status: 'Rye bread', spoilerText: '' })
  assert.equal((await status(bob).fetch()).spoilerText, '')
  assert.equal((await status(alice).source.fetch()).text, 'Rye bread')
  assert.equal((await status(bob).history.list()).length, 2)
  const reply = await publish(bob, 'Tasty', { inReplyToId: id })
  assert.deepEqual(ids((await status(alice).context.fetch()).descendants), [reply.id])
  const actions = [
    ['favourite', 'unfavourite', 'favourited', bob.v1.favourites],
    ['bookmark', 'unbookmark', 'bookmarked', bob.v1.bookmarks],
    ['reblog', 'unreblog', 'reblogged', null],
    ['mute', 'unmute', 'muted', null],
  ]
  for (const [add, remove, field, list] of actions) {
    await status(bob)[add]()
    assert.equal((await status(bob).fetch())[field], true, add)
    if (list) assert.deepEqual(ids(await list.list()), [id])
    if (add === 'favourite') assert.deepEqual(ids(await status(alice).favouritedBy.list()), [bob.id])
    if (add === 'reblog') assert.deepEqual(ids(await status(alice).rebloggedBy.list()), [bob.id])
    await status(bob)[remove]()
    assert.equal((await status(bob).fetch())[field], false, remove)
    if (list) assert.deepEqual(await list.list(), [])
  }
  await refused(422, 'a share is public', () => status(bob).reblog({ visibility: 'private' }))
  await status(bob).reblog({ visibility: 'unlisted' })
  assert.equal((await person(bob, bob).statuses.list({ excludeReplies: true }))[0].reblog.id, id)
  assert.deepEqual(await person(bob, bob).statuses.list({ excludeReplies: true, excludeReblogs: true }), [])
  await status(bob).unreblog()
  await status(alice).pin()
  assert.deepEqual(ids(await person(bob, alice).statuses.list({ pinned: true })), [id])
  await status(alice).unpin()
  assert.deepEqual(await person(bob, alice).statuses.list({ pinned: true }), [])
  await refused(404, 'nothing is translated', () => status(bob).translate({ lang: 'de' }))
  const deleted = await status(alice).remove()
  assert.equal(deleted.text, 'Rye bread')
  await gone(() => status(alice).fetch())
})

await step('comments', async () => {
  const post = await publish(alice, 'What is for lunch?')
  const comment = await publish(bob, `@${alice.name} Soup`, {
    inReplyToId: post.id, spoilerText: 'Spoiler', visibility: 'direct',
  })
  const shown = await alice.v1.statuses.$select(comment.id).fetch()
  assert.deepEqual([shown.spoilerText, shown.visibility, shown.inReplyToId], ['Spoiler', 'direct', post.id])
  await gone(() => carol.v1.statuses.$select(comment.id).fetch())
})

await step('pictures', async () => {
  const first = await alice.v2.media.create({ file: picture(), description: 'A phone', focus: '0.5,0.5' })
  const second = await alice.v1.media.create({ file: picture(), description: 'Another' })
  await alice.v1.media.$select(second.id).update({ description: 'A second phone' })
  assert.equal((await alice.v1.media.$select(second.id).fetch()).description, 'A second phone')
  const { id } = await publish(alice, 'Phones', { mediaIds: [first.id, second.id] })
  const attachments = (await bob.v1.statuses.$select(id).fetch()).mediaAttachments
  assert.deepEqual(attachments.map(media => media.description), ['A phone', 'A second phone'])
  assert.equal(attachments[0].meta.focus.x, 0.5)
  await alice.v1.statuses.$select(id).update({
    status: 'Phone', mediaIds: [second.id], mediaAttributes: [{ id: second.id, description: 'The phone' }],
  })
  const kept = (await bob.v1.statuses.$select(id).fetch()).mediaAttachments
  assert.deepEqual(kept.map(media => media.description), ['The phone'])
  assert.deepEqual(ids(await person(bob, alice).statuses.list({ onlyMedia: true })), [id])
  const third = await alice.v2.media.create({ file: picture() })
  const sensitive = await publish(alice, 'Look away', { mediaIds: [third.id], sensitive: true })
  assert.equal((await bob.v1.statuses.$select(sensitive.id).fetch()).sensitive, true)
})

await step('polls', async () => {
  const { poll } = await publish(alice, 'Tea?', { poll: { options: ['Yes', 'No'], expiresIn: 3600 } })
  await bob.v1.polls.$select(poll.id).votes.create({ choices: [1] })
  const voted = await bob.v1.polls.$select(poll.id).fetch()
  assert.deepEqual([voted.voted, voted.ownVotes, voted.options[1].votesCount], [true, [1], 1])
  await refused(422, 'a vote is final', () => bob.v1.polls.$select(poll.id).votes.create({ choices: [0] }))
})

await step('quotes', async () => {
  const quoted = await publish(alice, 'Quote me', { quoteApprovalPolicy: 'public' })
  const quote = await publish(bob, 'Look', { quotedStatusId: quoted.id })
  assert.equal((await carol.v1.statuses.$select(quote.id).fetch()).quote.quotedStatus.id, quoted.id)
  assert.deepEqual(ids(await alice.v1.statuses.$select(quoted.id).quotes.list()), [quote.id])
  await alice.v1.statuses.$select(quoted.id).update({ status: 'Quote me again' })
  const told = await until(async () => (await bob.v1.notifications.list({ types: ['quoted_update'] }))[0])
  assert.equal(told.status.id, quote.id)
  const closed = await publish(alice, 'Do not quote me', { quoteApprovalPolicy: 'nobody' })
  await refused(422, 'the author allows no quotes', () => publish(bob, 'Look', { quotedStatusId: closed.id }))
})

await step('cards', async () => {
  const { id } = await publish(alice, 'https://example.org/story')
  assert.equal((await alice.v1.statuses.$select(id).card.fetch()).url, undefined) // FETCH_LINKS is false
})

await step('scheduled posts', async () => {
  const scheduled = await publish(alice, 'Later', { scheduledAt: inTenMinutes() })
  const one = alice.v1.scheduledStatuses.$select(scheduled.id)
  assert.equal((await one.fetch()).params.text, 'Later')
  assert.deepEqual(ids(await alice.v1.scheduledStatuses.list()), [scheduled.id])
  const later = inTenMinutes(30)
  await alice.v1.scheduledStatuses.$select(scheduled.id).update({ scheduledAt: later })
  const moved = await alice.v1.scheduledStatuses.$select(scheduled.id).fetch()
  assert(Math.abs(new Date(moved.scheduledAt) - new Date(later)) < 60_000)
  await alice.v1.scheduledStatuses.$select(scheduled.id).remove()
  await gone(() => alice.v1.scheduledStatuses.$select(scheduled.id).fetch())
  assert.deepEqual(await alice.v1.scheduledStatuses.list(), [])
  const parent = await publish(bob, 'A question')
  const reply = await publish(alice, 'An answer', { inReplyToId: parent.id, scheduledAt: inTenMinutes() })
  assert.equal(reply.params.inReplyToId, parent.id)
  await alice.v1.scheduledStatuses.$select(reply.id).remove()
})

await step('timelines', async () => {
  const { id } = await publish(bob, 'Hello #sweeping')
  assert(ids(await alice.v1.timelines.home.list()).includes(id))
  assert(ids(await alice.v1.timelines.public.list({ local: true })).includes(id))
  assert.deepEqual(ids(await alice.v1.timelines.tag.$select('sweeping').list()), [id])
  assert.deepEqual(await alice.v1.timelines.public.list({ remote: true }), [])
  await refused(404, 'Mastodon has removed it, too', () => alice.v1.timelines.direct.list())
  const url = 'https://example.org/not-trending'
  assert.deepEqual(await alice.v1.timelines.link.list({ url }), [])
})

await step('lists', async () => {
  const { id } = await alice.v1.lists.create({ title: 'Bakers', repliesPolicy: 'none', exclusive: true })
  const list = () => alice.v1.lists.$select(id)
  const created = await list().fetch()
  assert.deepEqual([created.title, created.repliesPolicy, created.exclusive], ['Bakers', 'none', true])
  await list().update({ title: 'Cooks', exclusive: false, repliesPolicy: 'followed' })
  const changed = await list().fetch()
  assert.deepEqual([changed.title, changed.repliesPolicy, changed.exclusive], ['Cooks', 'followed', false])
  await list().accounts.create({ accountIds: [bob.id] })
  assert.deepEqual(ids(await list().accounts.list()), [bob.id])
  assert.deepEqual(ids(await person(alice, bob).lists.list()), [id])
  const post = await publish(bob, 'For the list')
  assert(ids(await alice.v1.timelines.list.$select(id).list()).includes(post.id))
  await list().accounts.remove({ accountIds: [bob.id] })
  assert.deepEqual(await list().accounts.list(), [])
  assert.deepEqual(ids(await alice.v1.lists.list()), [id])
  await list().remove()
  await gone(() => list().fetch())
})

await step('filters', async () => {
  const filter = await alice.v2.filters.create({
    title: 'Rain', context: ['home'], filterAction: 'warn', keywordsAttributes: [{ keyword: 'rain', wholeWord: true }],
  })
  const one = () => alice.v2.filters.$select(filter.id)
  await one().update({ title: 'Weather', context: ['home', 'public'], expiresIn: 3600 })
  const changed = await one().fetch()
  assert.deepEqual([changed.title, changed.context.sort(), changed.expiresAt !== null], ['Weather', ['home', 'public'], true])
  const keyword = await one().keywords.create({ keyword: 'snow', wholeWord: true })
  await alice.v2.filters.keywords.$select(keyword.id).update({ keyword: 'hail', wholeWord: true })
  assert.equal((await alice.v2.filters.keywords.$select(keyword.id).fetch()).keyword, 'hail')
  assert.deepEqual((await one().keywords.list()).map(row => row.keyword).sort(), ['hail', 'rain'])
  const post = await publish(bob, 'It may hail')
  const shown = (await alice.v1.timelines.home.list()).find(row => row.id === post.id)
  assert.equal(shown.filtered[0].filter.id, filter.id)
  await alice.v2.filters.keywords.$select(keyword.id).remove()
  await gone(() => alice.v2.filters.keywords.$select(keyword.id).fetch())
  assert.deepEqual(ids(await alice.v2.filters.list()), [filter.id])
  await step('filtered posts', async () => {
    const row = await one().statuses.create({ statusId: post.id })
    assert.equal((await alice.v2.filters.statuses.$select(row.id).fetch()).statusId, post.id)
    assert.deepEqual(ids(await one().statuses.list()), [row.id])
    const found = (await alice.v1.timelines.home.list()).find(status => status.id === post.id)
    assert.deepEqual(found.filtered[0].statusMatches, [post.id])
    await alice.v2.filters.statuses.$select(row.id).remove()
    assert.deepEqual(await one().statuses.list(), [])
  })
  await one().remove()
  await gone(() => one().fetch())
  const old = await alice.v1.filters.create({ phrase: 'fog', context: ['home'], irreversible: true })
  await alice.v1.filters.$select(old.id).update({ phrase: 'mist', context: ['home'], irreversible: true })
  const hidden = await publish(bob, 'All in mist')
  assert.equal(ids(await alice.v1.timelines.home.list()).includes(hidden.id), false)
  assert.equal((await alice.v1.filters.$select(old.id).fetch()).phrase, 'mist')
  assert.deepEqual(ids(await alice.v1.filters.list()), [old.id])
  await alice.v1.filters.$select(old.id).remove()
  assert.deepEqual(await alice.v1.filters.list(), [])
})

await step('hashtags', async () => {
  const tag = () => alice.v1.tags.$select('baking')
  await tag().follow()
  assert.equal((await tag().fetch()).following, true)
  assert.deepEqual((await alice.v1.followedTags.list()).map(row => row.name), ['baking'])
  await tag().unfollow()
  assert.deepEqual(await alice.v1.followedTags.list(), [])
  await tag().feature()
  assert.deepEqual((await alice.v1.featuredTags.list()).map(row => row.name), ['baking'])
  assert.deepEqual((await person(bob, alice).featuredTags.list()).map(row => row.name), ['baking'])
  await tag().unfeature()
  assert.deepEqual(await alice.v1.featuredTags.list(), [])
  const featured = await alice.v1.featuredTags.create({ name: 'cooking' })
  assert.deepEqual(ids(await alice.v1.featuredTags.list()), [featured.id])
  await alice.v1.featuredTags.$select(featured.id).remove()
  assert.deepEqual(await alice.v1.featuredTags.list(), [])
  await publish(alice, '#gardening')
  assert((await alice.v1.featuredTags.suggestions.list()).some(row => row.name === 'gardening'))
})

await step('conversations', async () => {
  const message = await publish(alice, `@${bob.name} Hi`, { visibility: 'direct' })
  const only = async () => (await bob.v1.conversations.list()).find(row => row.lastStatus.id === message.id)
  const { id } = await until(only)
  await bob.v1.conversations.$select(id).read()
  assert.equal((await only()).unread, false)
  await bob.v1.conversations.$select(id).unread()
  assert.equal((await only()).unread, true)
  await bob.v1.conversations.$select(id).remove()
  assert.equal(await only(), undefined)
})

await step('notifications', async () => {
  await alice.v1.notifications.clear()
  const post = await publish(alice, 'Like me')
  await bob.v1.statuses.$select(post.id).favourite()
  const like = await until(async () => (await alice.v1.notifications.list({ types: ['favourite'] }))[0])
  assert.equal(like.status.id, post.id)
  assert.equal((await alice.v1.notifications.$select(like.id).fetch()).account.id, bob.id)
  assert.deepEqual(ids(await alice.v1.notifications.fetch({ types: ['favourite'] })), [like.id])
  const groups = await alice.v2.notifications.list({ types: ['favourite'] })
  const key = groups.notificationGroups[0].groupKey
  assert.deepEqual((await alice.v2.notifications.$select(key).fetch()).notificationGroups[0].groupKey, key)
  assert.deepEqual(ids(await alice.v2.notifications.$select(key).accounts.fetch()), [bob.id])
  assert((await alice.v1.notifications.unreadCount.fetch()).count > 0)
  assert((await alice.v2.notifications.unreadCount.fetch()).count > 0)
  await alice.v2.notifications.$select(key).dismiss()
  assert.deepEqual(await alice.v1.notifications.list({ types: ['favourite'] }), [])
  await bob.v1.statuses.$select(post.id).reblog()
  const share = await until(async () => (await alice.v1.notifications.list({ types: ['reblog'] }))[0])
  await alice.v1.markers.create({ notifications: { lastReadId: share.id } })
  assert.equal((await alice.v1.notifications.unreadCount.fetch()).count, 0)
  await alice.v1.notifications.$select(share.id).dismiss()
  await gone(() => alice.v1.notifications.$select(share.id).fetch())
  await publish(bob, `@${alice.name} Look`)
  await until(async () => (await alice.v1.notifications.list()).length > 0)
  await alice.v1.notifications.clear()
  assert.deepEqual(await alice.v1.notifications.list(), [])
})

await step('filtered notifications', async () => {
  await alice.v2.notifications.policy.update({ forNotFollowing: 'filter' })
  assert.equal((await alice.v2.notifications.policy.fetch()).forNotFollowing, 'filter')
  const requests = () => alice.v1.notifications.requests
  const answers = [
    ['accept', async request => requests().$select(request.id).accept()],
    ['accept', async request => requests().accept({ id: [request.id] })],
    ['dismiss', async request => requests().$select(request.id).dismiss()],
    ['dismiss', async request => requests().dismiss({ id: [request.id] })],
  ]
  for (const [answer, call] of answers) {
    const stranger = await signUp()
    await publish(stranger, `@${alice.name} Hello`)
    const request = await until(async () => (await requests().list()).find(row => row.account.id === stranger.id))
    assert.equal((await requests().$select(request.id).fetch()).account.id, stranger.id)
    await call(request)
    assert.equal((await requests().list()).some(row => row.account.id === stranger.id), false)
    const shown = (await alice.v1.notifications.list()).some(row => row.account.id === stranger.id)
    assert.equal(shown, answer === 'accept')
  }
  assert.equal((await requests().merged.fetch()).merged, true)
  const policy = () => alice.v2.notifications.policy
  await refused(422, 'messages are always shown', () => policy().update({ forPrivateMentions: 'filter' }))
  await policy().update({ forNotFollowing: 'accept' })
})

await step('markers', async () => {
  const { id } = await publish(bob, 'Read me')
  await alice.v1.markers.create({ home: { lastReadId: id } })
  assert.equal((await alice.v1.markers.fetch({ timeline: ['home'] })).home.lastReadId, id)
})

await step('push', async () => {
  const push = () => alice.v1.push.subscription
  const subscription = pushSubscription()
  await push().create({ subscription, data: { alerts: { mention: true } }, policy: 'followed' })
  const created = await push().fetch()
  assert.deepEqual([created.endpoint, created.alerts.mention, created.policy], [subscription.endpoint, true, 'followed'])
  await push().update({ data: { alerts: { mention: false, favourite: true } } })
  const changed = await push().fetch()
  assert.deepEqual([changed.alerts.mention, changed.alerts.favourite], [false, true])
  await push().remove()
  await gone(() => push().fetch())
})

await step('reports', async () => {
  const post = await publish(carol, 'Buy this')
  const report = await alice.v1.reports.create({
    accountId: carol.id, statusIds: [post.id], comment: 'Spam', category: 'spam',
  })
  assert.deepEqual([report.category, report.comment, report.statusIds], ['spam', 'Spam', [post.id]])
})

await step('discovery', async () => {
  const post = await publish(carol, 'A rare word: zugzwang')
  assert.deepEqual(ids((await alice.v2.search.list({ q: 'zugzwang', type: 'statuses' })).statuses), [post.id])
  assert.deepEqual(ids((await alice.v1.search.list({ q: carol.name, type: 'accounts' })).accounts), [carol.id])
  assert(ids(await alice.v1.directory.list({ order: 'new' })).includes(carol.id))
  const erin = await signUp()
  const suggestions = await until(async () => {
    const rows = await erin.v2.suggestions.list({ limit: 40 })
    return rows.length && rows
  })
  const suggested = suggestions[0].account.id
  assert(ids(await erin.v1.suggestions.list({ limit: 40 })).includes(suggested))
  await erin.v1.suggestions.$select(suggested).remove()
  assert.equal((await erin.v2.suggestions.list({ limit: 40 })).some(row => row.account.id === suggested), false)
  for (const list of [alice.v1.trends.tags, alice.v1.trends.statuses, alice.v1.trends.links]) {
    assert(Array.isArray(await list.list()))
  }
})

await step('announcements', async () => {
  const [announcement] = await alice.v1.announcements.list()
  assert.equal(announcement.read, false)
  await alice.v1.announcements.$select(announcement.id).dismiss()
  assert.equal((await alice.v1.announcements.list())[0]?.read ?? true, true)
  const reaction = () => alice.v1.announcements.$select(announcement.id).reactions.$select('👍')
  await refused(404, 'announcements have no reactions', () => reaction().update())
  await refused(404, 'announcements have no reactions', () => reaction().remove())
})

await step('the site', async () => {
  assert.equal((await visitor.v1.instance.fetch()).uri, new URL(URL_OF_SITE).host)
  assert.equal((await visitor.v2.instance.fetch()).domain, new URL(URL_OF_SITE).host)
  assert((await visitor.v1.instance.languages.list()).length > 0)
  assert((await visitor.v1.instance.extendedDescription.fetch()).content)
  assert.deepEqual(await visitor.v1.instance.translationLanguages.list(), {})
  for (const list of [visitor.v1.instance.peers, visitor.v1.customEmojis]) {
    assert.deepEqual(await list.list(), [])
  }
  const [week] = await visitor.v1.instance.activity.list()
  assert(Number(week.statuses) > 0)
  assert.deepEqual(await visitor.v1.instance.domainBlocks.fetch(), [])
})

await step('features that the site does not have', async () => {
  const { collections, annualReports } = alice.v1
  const collection = () => alice.v1.collections.$select(MISSING)
  const report = () => alice.v1.annualReports.$select('2026')
  for (const call of [
    () => collections.create({ name: 'People', description: '', sensitive: false, discoverable: true }),
    () => collection().fetch(),
    () => collection().update({ name: 'People' }),
    () => collection().remove(),
    () => collection().items.create({ accountId: bob.id }),
    () => collection().items.$select(MISSING).remove(),
    () => collection().items.$select(MISSING).revoke(),
  ]) await refused(404, 'there are no collections', call)
  for (const call of [
    () => annualReports.list(),
    () => report().fetch(),
    () => report().state.fetch(),
    () => report().read(),
    () => report().generate(),
  ]) await refused(404, 'there are no annual reports', call)
})

finish(methodsOfClient())
