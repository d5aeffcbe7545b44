// What both sweeps need: steps, expected refusals, and a check that every method was called.
import assert from 'node:assert/strict'
import { createECDH, randomBytes, randomUUID } from 'node:crypto'

export const URL_OF_SITE = process.env.SITE_URL
export const PASSWORD = randomUUID()
export const PICTURE = new URL('../../docs/img/phone.png', import.meta.url)

const called = new Set()
const refusals = []
const problems = []

/** Run a part of the sweep. After an error, the other parts still run. */
export async function step(name, run) {
  try {
    await run()
  } catch (error) {
    problems.push(`${name}: ${describe(error)}`)
  }
}

function describe(error) {
  const own = error.stack?.split('\n').find(line => /(masto|megalodon)\.mjs/.test(line)) ?? ''
  const answer = error.response ? JSON.stringify(error.response.data) : ''
  return `${error.message} ${answer} ${own.replace(/.*\//, '').replace(')', '')}`
}

/** Fail unless the site refuses the call with this status. */
export async function refused(status, reason, call) {
  let result
  try {
    result = await call()
  } catch (error) {
    const actual = error.statusCode ?? error.response?.status
    if (actual !== status) throw error
    refusals.push(`${status}  ${lastCalled}: ${reason}`)
    return
  }
  assert.fail(`${lastCalled} was not refused (${reason}): ${JSON.stringify(result?.data ?? result)?.slice(0, 200)}`)
}

let lastCalled = ''

/** Remember that a method was called. */
export function recordCall(method) {
  called.add(method)
  lastCalled = method
}

/** Call until the result is truthy, because a worker notifies users. */
export async function until(call) {
  for (let attempt = 0; attempt < 50; attempt++) {
    const result = await call()
    if (result) return result
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  assert.fail(`no result in ten seconds: ${call}`)
}

/** Return a subscription as a browser makes it. The site never sends to this host. */
export function pushSubscription() {
  const keys = createECDH('prime256v1')
  keys.generateKeys()
  return {
    endpoint: `https://push.example/${randomUUID()}`,
    keys: { p256dh: keys.getPublicKey('base64url'), auth: randomBytes(16).toString('base64url') },
  }
}

export const newName = () => `user${randomBytes(5).toString('hex')}`
export const inTenMinutes = (more = 0) => new Date(Date.now() + (10 + more) * 60_000).toISOString()

/** Print the result, with the methods that were not called, and exit. */
export function finish(methods) {
  const missing = [...methods].filter(method => !called.has(method))
  for (const line of refusals.sort()) console.log(`  ${line}`)
  for (const method of missing) problems.push(`${method} is not called`)
  console.log(`${methods.length - missing.length} of ${methods.length} methods called, ${refusals.length} calls refused as expected.`)
  for (const problem of problems) console.log(`  FAILED ${problem}`)
  process.exit(problems.length ? 1 : 0)
}
