import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { repositoryAddress } from '../../lib/foundations/kinds/repository-address.ts'
import { readPush } from '../../lib/signals/webhook/push.ts'
import { token, within } from '../unit/signals/webhook/receiver-scene.ts'
import type { FuzzSettings } from './run.ts'

export const description =
  'requests of strangers to Receivers of every type: none costs a reconcile, none is an error of ours'

const signedTypes = ['github', 'gitlab', 'bitbucket', 'harbor', 'nexus', 'gcr', 'generic-hmac'] as const

const headerNames = [
  ...['x-hub-signature', 'x-hub-signature-256', 'x-signature', 'x-gitlab-token', 'authorization', 'x-gitea-signature'],
  ...['x-nexus-webhook-signature', 'webhook-id', 'webhook-timestamp', 'webhook-signature', 'x-github-event'],
  ...['x-gitlab-event', 'x-event-key', 'ce-type', 'content-type'],
]

const text = fc.string({
  unit: fc.integer({ min: 32, max: 126 }).map(code => String.fromCharCode(code)),
  maxLength: 80,
})
const signature = fc
  .tuple(
    fc.constantFrom('', 'sha1=', 'sha256=', 'sha512=', 'v1,', 'Bearer ', 'Basic '),
    fc.constantFrom('sha1', 'sha256'),
    text,
  )
  .map(([prefix, algorithm, guess]) => prefix + createHmac(algorithm, guess).update('{}').digest('hex'))
const headers = fc.dictionary(fc.constantFrom(...headerNames), fc.oneof(text, signature), { maxKeys: 6 })
const body = fc.oneof(fc.string(), fc.json(), fc.constant('{}'), fc.string({ size: 'large' }))

export const run = async ({ seed, until }: FuzzSettings): Promise<void> => {
  let requests = 0
  for (let round = 0; performance.now() < until; round++) requests += await fuzzWebhooks(seed + round, 200)
  console.log(`${requests} requests: none was let in, none failed in a way that is ours`)
}

/** Sends so many requests to each type; fails with the one that got through. */
export const fuzzWebhooks = async (seed: number, runs: number): Promise<number> => {
  for (const type of signedTypes) {
    const secretData = { email: 'a@b.example', audience: 'https://hub.example' }
    const fetchIssuer = async () => {
      throw new Error('no network')
    }
    await within(
      { type },
      async ({ send }) => {
        const property = fc.asyncProperty(headers, body, async (headers, body) => {
          assert.equal(Object.values(headers).includes(token), false)
          assert.equal(await send({ headers, body }), '400')
        })
        await fc.assert(property, { seed, numRuns: runs })
      },
      { secretData, fetchIssuer },
    )
  }
  fc.assert(
    fc.property(fc.jsonValue(), payload => {
      readPush(payload)
      repositoryAddress(JSON.stringify(payload))
    }),
    { seed, numRuns: runs * 5 },
  )
  return runs * signedTypes.length
}
