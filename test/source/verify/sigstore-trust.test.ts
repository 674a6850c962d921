import assert from 'node:assert/strict'
import { test } from 'node:test'
import { guardedAgent } from '../../../lib/platform/http/guarded-agent.ts'
import { NotVerified } from '../../../lib/sources/verify/not-verified.ts'
import { type SigstoreOrigin, sigstoreTrust } from '../../../lib/sources/verify/sigstore/sigstore-trust.ts'
import { refreshFromTuf } from '../../../lib/sources/verify/sigstore/tuf-client.ts'
import type { TufMetadata } from '../../../lib/sources/verify/sigstore/tuf-metadata.ts'
import { endWithTest } from '../../bed/teardown.ts'
import { tufKey, tufRepository } from '../../bed/tuf-repository.ts'
import { openWorld } from '../../unit/reconcile/world.ts'

const hour = 60 * 60_000
const day = 24 * hour

const openTrust = async () => {
  const repository = await tufRepository()
  const world = endWithTest(await openWorld(() => []).then(w => ({ ...w, [Symbol.asyncDispose]: w.close })))
  const { artifacts } = world.platform
  const agent = guardedAgent()
  endWithTest({ [Symbol.asyncDispose]: () => agent.destroy() })
  let now = Date.now()
  const { mirror, root } = repository
  const refresh = (from: string, known: TufMetadata) => refreshFromTuf(from, known, agent)
  /** A process that starts; what it answers with. */
  const start = (origin: Partial<SigstoreOrigin> = {}) => {
    const trust = sigstoreTrust({ mirror, root, ...origin }, { artifacts, clock: { now: () => now }, refresh })
    return () =>
      trust().then(
        content => Buffer.from(content).toString(),
        error => {
          if (error instanceof NotVerified) return error.message
          throw error
        },
      )
  }
  const advance = (ms: number) => {
    now += ms
  }
  const stored = async () => (await Array.fromAsync(artifacts.list('sigstore/'))).length
  return { ...repository, start, advance, stored }
}

const embedded = Buffer.from('embedded')

test('the trusted root comes from the TUF repository, once a day for all processes', async () => {
  const world = await openTrust()
  world.publish({ trustedRoot: '1' })
  const trust = world.start({ embedded })
  assert.deepEqual(await Promise.all([trust(), trust()]), ['1', '1'])
  assert.equal(world.requests().filter(path => path === '/timestamp.json').length, 1)
  world.publish({ trustedRoot: '2' })
  assert.equal(await trust(), '1')
  assert.equal(await world.start()(), '1')
  assert.deepEqual(world.requests(), [])
  world.advance(day)
  assert.equal(await trust(), '2')
  assert.equal(await world.stored(), 1, 'what came before is not kept')
})

test('keys rotate if the old ones sign the new ones', async () => {
  const world = await openTrust()
  world.rotate()
  world.publish({ trustedRoot: '1' })
  const trust = world.start()
  assert.equal(await trust(), '1')
  world.rotate()
  world.publish({ trustedRoot: '2' })
  world.advance(day)
  assert.equal(await trust(), '2')
  world.rotate(tufKey())
  world.publish({ trustedRoot: '3' })
  world.advance(day)
  assert.match(await trust(), /^unable to initialize trusted root from http/)
})

test('the stored root is used while the repository does not respond', async () => {
  const world = await openTrust()
  world.break(503)
  const trust = world.start({ embedded })
  assert.equal(await trust(), 'embedded')
  world.requests()
  assert.equal(await trust(), 'embedded')
  assert.deepEqual(world.requests(), [], 'a repository that does not answer is left alone for a while')
  assert.match(await world.start()(), /^unable to initialize trusted root from .*status 503/)
  world.break(0)
  world.publish({ trustedRoot: '1' })
  world.advance(hour)
  assert.equal(await trust(), '1')
  world.break(500)
  world.advance(30 * day)
  assert.equal(await trust(), '1')
  assert.equal(await world.start({ embedded })(), '1')
  assert.equal(await world.start({ embedded, mirror: 'http://127.0.0.1:9' })(), 'embedded')
})

test('a repository that says what it must not is not believed, nor what it said before, until it is mended', async () => {
  for (const [wrong, why] of [
    [{ expires: '2020-01-01T00:00:00Z' }, /timestamp\.json is expired/],
    [{ by: tufKey() }, /timestamp was signed by 0\/1 keys/],
    [{ version: 1 }, /New timestamp version 1 is less than current version/],
    [{ served: '[]' }, /Expected length 3 but got 2/],
    [{ served: 'x'.repeat(1 << 20) }, /length/],
  ] as const) {
    const world = await openTrust()
    world.publish()
    world.publish({ trustedRoot: '{1}' })
    const trust = world.start({ embedded })
    assert.equal(await trust(), '{1}')
    world.publish({ trustedRoot: '[1]', ...wrong })
    world.advance(day)
    const refusal = await trust()
    assert.match(refusal, /^unable to initialize trusted root from http:/)
    assert.match(refusal, why)
    world.publish({ trustedRoot: '2', version: 10 })
    assert.equal(await trust(), refusal, 'it is not asked all the time')
    world.advance(2 * 60_000)
    assert.equal(await trust(), '2')
  }
})
