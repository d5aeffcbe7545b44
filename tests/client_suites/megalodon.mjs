// Call every method of megalodon's client for Mastodon that an ordinary user can call, and check the effect.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import megalodon, { Mastodon } from 'megalodon'
import {
  finish, inTenMinutes, newName, PASSWORD, PICTURE, pushSubscription, recordCall, refused, step, until, URL_OF_SITE,
} from './sweep.mjs'

const methodsOfClient = Object.getOwnPropertyNames(Mastodon.prototype).filter(
  name => !['constructor', 'cancel', 'urlToAccounts'].includes(name), // they send no request of their own
)

/** Return a client that records calls and returns the data of the answer. */
function connect(token) {
  const client = megalodon('mastodon', URL_OF_SITE, token)
  return new Proxy(client, {
    get: (_target, name) => async (...args) => {
      recordCall(name)
      const answer = await client[name](...args)
      return answer?.data === undefined ? answer : answer.data
    },
  })
}

const ids = rows => rows.map(row => row.id)
const picture = () => createReadStream(PICTURE)
const gone = call => refused(404, 'it was deleted', call)
const notInMastodon = call => assert.rejects(call, /does not support/)

const visitor = connect()
const app = await visitor.registerApp('Sweep', { scopes: ['read', 'write', 'follow', 'push'] })
const granted = await fetch(`${URL_OF_SITE}/oauth/token`, {
  method: 'POST',
  body: new URLSearchParams({
    grant_type: 'client_credentials', client_id: app.client_id, client_secret: app.client_secret, scope: 'read write',
  }),
}).then(response => response.json())

/** Sign up. Return the client of the new user, with `id`, `name` and `token`. */
async function signUp() {
  const name = newName()
  const granting = connect(granted.access_token)
  const { access_token: token } = await granting.registerAccount(name, `${name}@example.com`, PASSWORD, true, 'en')
  const client = connect(token)
  const account = await client.verifyAccountCredentials()
  assert.equal(account.username, name)
  return { client, id: account.id, name, token }
}

const [alice, bob, carol] = [await signUp(), await signUp(), await signUp()]
const [a, b, c] = [alice.client, bob.client, carol.client]
const publish = (client, status, more = {}) => client.postStatus(status, { visibility: 'public', ...more })

await step('apps and tokens', async () => {
  assert.equal((await a.verifyAppCredentials()).name, 'Sweep')
  const created = await visitor.createApp('Second', {})
  const address = await visitor.generateAuthUrl(created.client_id, created.client_secret, {})
  assert((await fetch(address)).ok)
  const { client_id: id, client_secret: secret } = app
  await refused(400, 'the code is wrong', () => visitor.fetchAccessToken(id, secret, 'wrong'))
  await refused(400, 'tokens do not expire', () => visitor.refreshToken(id, secret, 'wrong'))
  const dora = await signUp()
  await visitor.revokeToken(id, secret, dora.token)
  await refused(401, 'the token is revoked', () => dora.client.verifyAccountCredentials())
})

await step('own account', async () => {
  const source = { privacy: 'private', language: 'it' }
  const fields = [{ name: 'City', value: 'Rome' }]
  await a.updateCredentials({ display_name: 'Alice', note: 'I bake', bot: true, locked: true, source, fields_attributes: fields })
  const account = await a.verifyAccountCredentials()
  assert.deepEqual(
    [account.display_name, account.source.note, account.bot, account.locked, account.source.privacy, account.fields[0].name],
    ['Alice', 'I bake', true, true, 'private', 'City'],
  )
  const preferences = await a.getPreferences()
  assert.deepEqual([preferences['posting:default:visibility'], preferences['posting:default:language']], ['private', 'it'])
  await a.updateCredentials({ locked: false, bot: false, source: { privacy: 'public' } })
})

await step('accounts', async () => {
  assert.equal((await a.getAccount(bob.id)).username, bob.name)
  assert.equal((await a.lookupAccount(bob.name)).id, bob.id)
  assert.deepEqual(ids(await a.searchAccount(bob.name)), [bob.id])
  await a.followAccount(bob.id)
  assert.equal((await a.getRelationship(bob.id)).following, true)
  assert.deepEqual(ids(await a.getAccountFollowing(alice.id)), [bob.id])
  assert.deepEqual(ids(await a.getAccountFollowers(bob.id)), [alice.id])
  await a.subscribeAccount(bob.id)
  assert.equal((await a.getRelationship(bob.id)).notifying, true)
  await a.unsubscribeAccount(bob.id)
  assert.equal((await a.getRelationship(bob.id)).notifying, false)
  await a.setAccountNote(bob.id, 'From school')
  assert.equal((await a.getRelationship(bob.id)).note, 'From school')
  await a.unfollowAccount(bob.id)
  assert.equal((await a.getRelationships([bob.id]))[0].following, false)
  await refused(404, 'other sites do not exist', () => a.getIdentityProof(bob.id))
  await notInMastodon(() => a.getAccountFavourites(bob.id))
})

await step('blocks and mutes', async () => {
  await a.blockAccount(carol.id)
  assert.deepEqual(ids(await a.getBlocks()), [carol.id])
  await a.unblockAccount(carol.id)
  assert.deepEqual(await a.getBlocks(), [])
  await a.muteAccount(carol.id, true)
  assert.deepEqual(ids(await a.getMutes()), [carol.id])
  await a.muteAccount(carol.id, false)
  assert.equal((await a.getRelationship(carol.id)).muting_notifications, false)
  await a.unmuteAccount(carol.id)
  assert.deepEqual(await a.getMutes(), [])
  await refused(422, 'there are no other sites', () => a.blockDomain('elsewhere.example'))
  assert.deepEqual(await a.getDomainBlocks(), [])
  await a.unblockDomain('elsewhere.example')
})

await step('endorsements', async () => {
  await a.followAccount(bob.id)
  await a.pinAccount(bob.id)
  assert.deepEqual(ids(await a.getEndorsements()), [bob.id])
  await a.unpinAccount(bob.id)
  assert.deepEqual(await a.getEndorsements(), [])
})

await step('follow requests', async () => {
  await b.updateCredentials({ locked: true })
  const dora = await signUp()
  await dora.client.followAccount(bob.id)
  assert.deepEqual(ids(await b.getFollowRequests()), [dora.id])
  await b.rejectFollowRequest(dora.id)
  assert.deepEqual(await b.getFollowRequests(), [])
  await dora.client.followAccount(bob.id)
  await b.acceptFollowRequest(dora.id)
  assert.equal((await dora.client.getRelationship(bob.id)).following, true)
  await b.updateCredentials({ locked: false })
})

await step('posts', async () => {
  const { id } = await publish(a, 'Bread #baking', { spoiler_text: 'Food', language: 'en' })
  const shown = await b.getStatus(id)
  assert.deepEqual([shown.spoiler_text, shown.language, shown.visibility], ['Food', 'en', 'public'])
  assert.deepEqual(ids(await b.getAccountStatuses(alice.id)), [id])
  await a.editStatus(id, { status: 'Rye bread', spoiler_text: '' })
  assert.equal((await a.getStatusSource(id)).text, 'Rye bread')
  assert.equal((await b.getStatus(id)).spoiler_text, '')
  const reply = await publish(b, 'Tasty', { in_reply_to_id: id })
  assert.deepEqual(ids((await a.getStatusContext(id)).descendants), [reply.id])
  const actions = [
    ['favouriteStatus', 'unfavouriteStatus', 'favourited', 'getFavourites'],
    ['bookmarkStatus', 'unbookmarkStatus', 'bookmarked', 'getBookmarks'],
    ['reblogStatus', 'unreblogStatus', 'reblogged'],
    ['muteStatus', 'unmuteStatus', 'muted'],
  ]
  for (const [add, remove, field, list] of actions) {
    await b[add](id)
    assert.equal((await b.getStatus(id))[field], true, add)
    if (list) assert.deepEqual(ids(await b[list]()), [id])
    if (field === 'favourited') assert.deepEqual(ids(await a.getStatusFavouritedBy(id)), [bob.id])
    if (field === 'reblogged') assert.deepEqual(ids(await a.getStatusRebloggedBy(id)), [bob.id])
    await b[remove](id)
    assert.equal((await b.getStatus(id))[field], false, remove)
    if (list) assert.deepEqual(await b[list](), [])
  }
  await a.pinStatus(id)
  assert.deepEqual(ids(await b.getAccountStatuses(alice.id, { pinned: true })), [id])
  await a.unpinStatus(id)
  assert.deepEqual(await b.getAccountStatuses(alice.id, { pinned: true }), [])
  await a.deleteStatus(id)
  await gone(() => a.getStatus(id))
})

await step('pictures', async () => {
  const media = await a.uploadMedia(picture(), { description: 'A phone', focus: '0.5,0.5' })
  await a.updateMedia(media.id, { description: 'The phone' })
  assert.equal((await a.getMedia(media.id)).description, 'The phone')
  const { id } = await publish(a, 'A phone', { media_ids: [media.id] })
  assert.equal((await b.getStatus(id)).media_attachments[0].description, 'The phone')
})

await step('polls', async () => {
  const { poll } = await publish(a, 'Tea?', { poll: { options: ['Yes', 'No'], expires_in: 3600, multiple: true } })
  await b.votePoll(poll.id, [0, 1])
  const voted = await b.getPoll(poll.id)
  assert.deepEqual([voted.voted, voted.votes_count, voted.voters_count], [true, 2, 1])
})

await step('quotes', async () => {
  const quoted = await publish(a, 'Quote me')
  const quote = await publish(b, 'Look', { quote_id: quoted.id })
  assert.equal((await c.getStatus(quote.id)).quote.quoted_status.id, quoted.id)
})

await step('scheduled posts', async () => {
  const { id } = await publish(a, 'Later', { scheduled_at: inTenMinutes() })
  assert.equal((await a.getScheduledStatus(id)).params.text, 'Later')
  const later = inTenMinutes(30)
  await a.scheduleStatus(id, later)
  const [moved] = await a.getScheduledStatuses()
  assert(Math.abs(new Date(moved.scheduled_at) - new Date(later)) < 60_000)
  await a.cancelScheduledStatus(id)
  await gone(() => a.getScheduledStatus(id))
})

await step('timelines', async () => {
  await a.followAccount(bob.id)
  const { id } = await publish(b, 'Hello #sweeping')
  assert(ids(await a.getHomeTimeline()).includes(id))
  assert(ids(await a.getPublicTimeline()).includes(id))
  assert(ids(await a.getLocalTimeline()).includes(id))
  assert.deepEqual(ids(await a.getTagTimeline('sweeping')), [id])
})

await step('lists', async () => {
  const { id } = await a.createList('Bakers')
  await a.updateList(id, 'Cooks')
  assert.equal((await a.getList(id)).title, 'Cooks')
  assert.deepEqual(ids(await a.getLists()), [id])
  await a.addAccountsToList(id, [bob.id])
  assert.deepEqual(ids(await a.getAccountsInList(id)), [bob.id])
  assert.deepEqual(ids(await a.getAccountLists(bob.id)), [id])
  const post = await publish(b, 'For the list')
  assert(ids(await a.getListTimeline(id)).includes(post.id))
  await a.deleteAccountsFromList(id, [bob.id])
  assert.deepEqual(await a.getAccountsInList(id), [])
  await a.deleteList(id)
  await gone(() => a.getList(id))
})

await step('filters', async () => {
  const { id } = await a.createFilter('fog', ['home'], { whole_word: true })
  await a.updateFilter(id, 'mist', ['home'], { whole_word: true })
  assert.equal((await a.getFilter(id)).phrase, 'mist')
  assert.deepEqual(ids(await a.getFilters()), [id])
  await a.deleteFilter(id)
  assert.deepEqual(await a.getFilters(), [])
})

await step('hashtags', async () => {
  await publish(a, '#gardening')
  await a.followTag('baking')
  assert.equal((await a.getTag('baking')).following, true)
  assert.deepEqual((await a.getFollowedTags()).map(tag => tag.name), ['baking'])
  await a.unfollowTag('baking')
  assert.deepEqual(await a.getFollowedTags(), [])
  const featured = await a.createFeaturedTag('cooking')
  assert.deepEqual(ids(await a.getFeaturedTags()), [featured.id])
  await a.deleteFeaturedTag(featured.id)
  assert.deepEqual(await a.getFeaturedTags(), [])
  assert((await a.getSuggestedTags()).some(tag => tag.name === 'gardening'))
})

await step('conversations', async () => {
  const message = await publish(a, `@${bob.name} Hi`, { visibility: 'direct' })
  const only = async () => (await b.getConversationTimeline()).find(row => row.last_status.id === message.id)
  const { id, unread } = await until(only)
  assert.equal(unread, true)
  await b.readConversation(id)
  assert.equal((await only()).unread, false)
  await b.deleteConversation(id)
  assert.equal(await only(), undefined)
})

await step('notifications', async () => {
  await a.dismissNotifications()
  const post = await publish(a, 'Like me')
  await b.favouriteStatus(post.id)
  const like = await until(async () => (await a.getNotifications()).find(row => row.type === 'favourite'))
  assert.equal((await a.getNotification(like.id)).account.id, bob.id)
  await a.dismissNotification(like.id)
  await gone(() => a.getNotification(like.id))
  await publish(b, `@${alice.name} Look`)
  await until(async () => (await a.getNotifications()).length)
  await a.dismissNotifications()
  assert.deepEqual(await a.getNotifications(), [])
  await notInMastodon(() => a.readNotifications({}))
})

await step('markers', async () => {
  const { id } = await publish(b, 'Read me')
  await a.saveMarkers({ home: { last_read_id: id } })
  assert.equal((await a.getMarkers(['home'])).home.last_read_id, id)
})

await step('push', async () => {
  const subscription = pushSubscription()
  await a.subscribePushNotification(subscription, { alerts: { mention: true } })
  assert.equal((await a.getPushSubscription()).endpoint, subscription.endpoint)
  await a.updatePushSubscription({ alerts: { mention: false, favourite: true } })
  const { alerts } = await a.getPushSubscription()
  assert.deepEqual([alerts.mention, alerts.favourite], [false, true])
  await a.deletePushSubscription()
  await gone(() => a.getPushSubscription())
})

await step('reports and search', async () => {
  const post = await publish(c, 'Zugzwang')
  const report = await a.report(carol.id, { status_ids: [post.id], comment: 'Spam', category: 'spam' })
  assert.deepEqual([report.category, report.comment], ['spam', 'Spam'])
  assert.deepEqual(ids((await a.search('zugzwang', { type: 'statuses' })).statuses), [post.id])
  assert((await a.getSuggestions()).length >= 0)
})

await step('the site', async () => {
  assert.equal((await visitor.getInstance()).uri, new URL(URL_OF_SITE).host)
  for (const list of ['getInstancePeers', 'getInstanceCustomEmojis']) {
    assert.deepEqual(await visitor[list](), [])
  }
  assert(Number((await visitor.getInstanceActivity())[0].statuses) > 0)
  assert(Array.isArray(await visitor.getInstanceTrends()))
  assert(ids(await visitor.getInstanceDirectory({ order: 'new' })).includes(bob.id))
})

await step('announcements', async () => {
  const [announcement] = await a.getInstanceAnnouncements()
  assert.equal(announcement.read, false)
  await a.dismissInstanceAnnouncement(announcement.id)
  assert.equal((await a.getInstanceAnnouncements())[0]?.read ?? true, true)
  const reason = 'announcements have no reactions'
  await refused(404, reason, () => a.addReactionToAnnouncement(announcement.id, 'x'))
  await refused(404, reason, () => a.removeReactionFromAnnouncement(announcement.id, 'x'))
})

await step('reactions to posts', async () => {
  await notInMastodon(() => a.createEmojiReaction('1', 'x'))
  await notInMastodon(() => a.deleteEmojiReaction('1', 'x'))
  await notInMastodon(() => a.getEmojiReactions('1'))
  await notInMastodon(() => a.getEmojiReaction('1', 'x'))
})

await step('streams', async () => {
  assert.match(await a.streamingURL(), /^ws:/)
  const streams = ['userStreaming', 'publicStreaming', 'localStreaming', 'directStreaming']
  for (const [name, ...args] of [...streams.map(stream => [stream]), ['tagStreaming', 'tea'], ['listStreaming', '1']]) {
    const stream = await a[name](...args)
    await once(stream, 'connect')
    stream.removeAllListeners()
    stream.stop()
  }
})

finish(methodsOfClient)
