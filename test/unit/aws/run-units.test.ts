/** What a Run costs on AWS, in write units of the table as it bills them. */
import assert from 'node:assert/strict'
import { createHash, generateKeyPairSync, sign } from 'node:crypto'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { signRuns } from '../../../lib/hub/runs/sign-run.ts'
import type { EndedPass } from '../../../lib/reconcile/runtime/run-content.ts'
import { createRunRecorder } from '../../../lib/reconcile/runtime/run-recorder.ts'
import { simulatedDynamo } from '../../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../../bed/aws/simulated-store.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const revision = (letter: string) => `main@sha1:${letter.repeat(40)}`

const object = {
  apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
  kind: 'Kustomization',
  metadata: { name: 'podinfo', namespace: 'apps', uid: '7c1e2a52-6d1f-4a3c-9c55-0a5a0f6f9b10', generation: 1 },
  status: { observedGeneration: 1, conditions: [] },
} as unknown as KubernetesObject

const digest = (of: string) => `sha256:${createHash('sha256').update(of).digest('hex')}`

const pushed = (startedAt: number): EndedPass => ({
  object,
  startedAt,
  wasFailing: false,
  notes: {
    cluster: { kind: 'Secret', namespace: 'apps', name: 'prod-eu-west-1' },
    revision: revision('b'),
    previousRevision: revision('a'),
    artifact: digest('artifact'),
    manifests: digest('manifests'),
    phases: ['Fetch', 'Build', 'Apply'].map((name, at) => ({ name, startedAt: startedAt + at * 17 })),
    changes: [
      {
        ref: { group: 'apps', kind: 'Deployment', namespace: 'podinfo', name: 'podinfo' },
        ...{ apiVersion: 'apps/v1', action: 'configured', origin: 'deploy/podinfo.yaml, overlay clusters/prod' },
        diff: {
          fields: [
            {
              path: 'spec.template.spec.containers[name=podinfo].image',
              before: 'ghcr.io/stefanprodan/podinfo:6.9.1',
              after: 'ghcr.io/stefanprodan/podinfo:6.9.2',
            },
          ],
          more: 0,
        },
      },
    ],
  },
  end: { outcome: 'done', reason: 'ReconciliationSucceeded', message: `Applied revision: ${revision('b')}`, due: 1 },
})

/** As long as what KMS makes of a data key, with the rest of the envelope. */
const envelope = 184 + 3 + 12 + 16

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signRun = signRuns(
  { sign: async content => ({ keyId: '0123456789abcdef', signature: sign('sha256', content, privateKey) }) },
  {
    error: message => {
      throw new Error(message)
    },
  },
)

test('a push that changes a few objects costs two write units and one for its cluster, each repeated failure one', async () => {
  const dynamo = simulatedDynamo()
  const clock = manualClock()
  const { runs } = simulatedStore(dynamo, clock)
  const keys = {
    seal: async (plain: Uint8Array) => Buffer.concat([Buffer.alloc(envelope), plain]),
    open: async (sealed: Uint8Array) => sealed.subarray(envelope),
  }
  const recorder = createRunRecorder({ runs, keys, clock, signRun }, 1e9)
  await recorder.record(pushed(clock.now()))
  assert.equal(dynamo.takeUnits().write, 3)

  const message =
    'Deployment/podinfo/podinfo dry-run failed (Invalid): spec.replicas: Invalid value: -1 (from a.yaml:4)'
  const failed = (wasFailing: boolean): EndedPass => {
    const pass = pushed(clock.now())
    const end = { outcome: 'failed', reason: 'ReconciliationFailed', message, due: 1 } as const
    return { ...pass, wasFailing, end, notes: { ...pass.notes, changes: [] } }
  }
  await clock.advance(60_000)
  await recorder.record(failed(false))
  assert.equal(dynamo.takeUnits().write, 4, 'one more, as few runs fail')
  for (let i = 0; i < 5; i++) {
    await clock.advance(60_000)
    await recorder.record(failed(true))
  }
  const { write, read } = dynamo.takeUnits()
  assert.deepEqual([write, read <= 5 * 2], [5, true], `${read} read units`)
  const [last] = await runs.page({ namespace: 'apps', limit: 1 })
  assert.equal(last?.repeats, 5)
})

test('an interval that finds nothing to do costs nothing', async () => {
  const dynamo = simulatedDynamo()
  const clock = manualClock()
  const { runs } = simulatedStore(dynamo, clock)
  const keys = { seal: async (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed }
  const recorder = createRunRecorder({ runs, keys, clock }, 1e9)
  const pass = pushed(clock.now())
  const unchanged = pass.notes.changes.map(change => ({ ...change, action: 'unchanged' as const }))
  await recorder.record({ ...pass, notes: { ...pass.notes, changes: unchanged } })
  assert.deepEqual(dynamo.takeUnits(), { read: 0, write: 0 })
})

test('a receipt adds 100 to 200 bytes to a Run', async () => {
  const sizeOf = async (signs: boolean): Promise<number> => {
    const clock = manualClock()
    const { runs } = simulatedStore(simulatedDynamo(), clock)
    const keys = { seal: async (plain: Uint8Array) => plain, open: async (sealed: Uint8Array) => sealed }
    const recorder = createRunRecorder({ runs, keys, clock, ...(signs && { signRun }) }, 1e9)
    await recorder.record(pushed(clock.now()))
    const [run] = await runs.page({ namespace: 'apps', limit: 1 })
    return run!.body.length
  }
  const [bare, signed] = [await sizeOf(false), await sizeOf(true)]
  const added = signed - bare
  assert.ok(added > 100 && added < 200, `${added} bytes`)
})
