/** What the audit log that a hub keeps costs on AWS, in units of the table as it bills them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { auditingInHub } from '../../../lib/hub/apiserver/audit/kept-entries.ts'
import { resourceRequestOf } from '../../../lib/hub/apiserver/request-info.ts'
import { systemRandom } from '../../../lib/platform/adapters/embedded/system-random.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

/** As long as what KMS makes of a data key, with the rest of the envelope. */
const envelope = 184 + 3 + 12 + 16

const day = 24 * 60 * 60_000

const open = () => {
  const dynamo = simulatedDynamo()
  const clock = manualClock()
  const { auditRecords } = simulatedStore(dynamo, clock)
  const keys = {
    seal: async (plain: Uint8Array) => Buffer.concat([Buffer.alloc(envelope), plain]),
    open: async (sealed: Uint8Array) => sealed.subarray(envelope),
  }
  const log = { error: (_: string, { error }: { error: unknown }) => assert.fail(String(error)) }
  const audit = auditingInHub({ auditRecords, keys, clock, random: systemRandom, log: log as never }, 90 * day)
  const write = async (name: string) => {
    await clock.advance(1000)
    const url = new URL(`https://hub/apis/kustomize.toolkit.fluxcd.io/v1/namespaces/apps/kustomizations/${name}`)
    const request = new Request(url, { method: 'PATCH', headers: { 'user-agent': 'kubectl/v1.34.0 (linux/amd64)' } })
    const trail = audit(request, url, '203.0.113.77')
    const user = `arn:aws:sts::123456789012:assumed-role/PlatformTeam/${name}@example.com`
    await trail.identified({ name: user, groups: ['system:authenticated'] }, resourceRequestOf('PATCH', url))
    trail.acted({
      'keelson.dev/action': `suspended: ${'the outage of the payment provider, see INC-1234; '.repeat(5)}`,
    })
    await trail.responded(new Response('{}'), Promise.resolve())
  }
  return { dynamo, clock, auditRecords, write }
}

test('a request that writes costs one write unit to be kept, with long names and a long reason', async () => {
  const { dynamo, write } = open()
  await write(`payments-${'reconciliation-'.repeat(8)}service`)
  assert.deepEqual(dynamo.takeUnits(), { read: 0, write: 1 })
})

test('a page is read from the partition of its month: one request, and one more for each month without entries', async () => {
  const { dynamo, clock, auditRecords, write } = open()
  for (let i = 0; i < 20; i++) await write(`web-${i}`)
  dynamo.takeUnits()
  const page = await auditRecords.page({ since: clock.now() - 90 * day, limit: 10 })
  assert.equal(page.length, 10)
  const { read, write: written } = dynamo.takeUnits()
  assert.equal(written, 0)
  assert.ok(read <= 2, `${read}`)
  assert.deepEqual(
    await auditRecords
      .page({ since: clock.now() - 90 * day, before: page.at(-1)!, limit: 1 })
      .then(found => found.length),
    1,
  )
})
