/** What a receipt adds to a Run: write units of the table on AWS, bytes, and time to sign and to read. */
import assert from 'node:assert/strict'
import { performance } from 'node:perf_hooks'
import { parseArgs } from 'node:util'
import type { RunContent } from '../../lib/foundations/kinds/run.ts'
import { sha256Digest } from '../../lib/foundations/rules/sha256.ts'
import { publicKeysIn, verifyReceipt } from '../../lib/foundations/rules/verify-receipt.ts'
import { receiptKeys } from '../../lib/hub/runs/receipt-keys.ts'
import { runCodec } from '../../lib/hub/runs/run-codec.ts'
import { receiptOf, signRuns } from '../../lib/hub/runs/sign-run.ts'
import { systemClock } from '../../lib/platform/adapters/embedded/system-clock.ts'
import { simulatedDynamo } from '../bed/aws/simulated-dynamo.ts'
import { simulatedStore } from '../bed/aws/simulated-store.ts'
import { table } from './table.ts'

export const description = 'what a receipt adds to a Run'

const usage = 'npm run bench -- receipts [--rounds 2000]'

/** As long as what KMS makes of a data key, with the rest of the envelope. */
const envelope = 184 + 3 + 12 + 16
const keys = {
  seal: async (plain: Uint8Array) => Buffer.concat([Buffer.alloc(envelope), plain]),
  open: async (sealed: Uint8Array) => sealed.subarray(envelope),
}

/** The Run of a push that changed so many objects, some of them approved. */
const contentOf = (changed: number, isApproved: boolean): RunContent => ({
  unit: {
    apiVersion: 'kustomize.toolkit.fluxcd.io/v1',
    kind: 'Kustomization',
    name: 'podinfo',
    uid: crypto.randomUUID(),
  },
  cluster: { kind: 'Secret', namespace: 'apps', name: 'prod-eu-west-1' },
  cause: { type: 'Source', user: 'Receiver apps/github for mona' },
  revision: `main@sha1:${sha256Digest('new').slice(7, 47)}`,
  previousRevision: `main@sha1:${sha256Digest('old').slice(7, 47)}`,
  artifact: sha256Digest('artifact'),
  manifests: sha256Digest('manifests'),
  ...(isApproved && {
    plan: { name: 'kustomization-podinfo-0mjk1q2w3', digest: sha256Digest('plan'), approvedBy: ['jane', 'bob'] },
  }),
  phases: ['Fetch', 'Build', 'Apply'].map((name, at) => ({ name, durationMs: 17 + at })),
  counts: { configured: changed, unchanged: 12 },
  changes: Array.from({ length: changed }, (_, at) => ({
    ...{
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      namespace: 'podinfo',
      name: `podinfo-${at}`,
      action: 'configured' as const,
    },
    origin: `deploy/podinfo-${at}.yaml, overlay clusters/prod`,
    fields: [
      {
        path: 'spec.template.spec.containers[name=podinfo].image',
        before: `ghcr.io/stefanprodan/podinfo:6.9.${at}`,
        after: `ghcr.io/stefanprodan/podinfo:6.9.${at + 1}`,
      },
    ],
  })),
  result: 'Succeeded',
  reason: 'ReconciliationSucceeded',
  message: 'Applied revision: main@sha1:',
  startedAt: '2026-11-28T12:00:00.000Z',
  finishedAt: '2026-11-28T12:00:01.000Z',
})

const place = {
  namespace: 'apps',
  startedAt: Date.parse('2026-11-28T12:00:00.000Z'),
  name: 'kustomization-podinfo-0mx0cyo00',
}

const measure = async (content: RunContent, rounds: number) => {
  const dynamo = simulatedDynamo()
  const { objects, runs } = simulatedStore(dynamo, systemClock)
  const ring = receiptKeys({ objects, keys, clock: systemClock })
  const sign = signRuns(ring, console)
  const codec = runCodec(keys)
  const added = async (signs: boolean) => {
    const signed = signs ? await sign(place, content) : undefined
    const body = await codec.encode(place, { ...content, ...(signed && { signed }) })
    dynamo.takeUnits()
    await runs.add({ ...place, unit: 'Kustomization/podinfo', repeats: 0, facts: '', expires: Date.now() + 1e9, body })
    return { bytes: body.length, units: dynamo.takeUnits().write }
  }
  const [bare, signed] = [await added(false), await added(true)]
  const { signed: signature, ...stored } = await codec.decode(place, (await runs.get(place))!.body)
  const run = {
    ...{ apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'Run', metadata: { namespace: 'apps', name: place.name } },
    ...{ ...stored, receipt: receiptOf(place, stored, signature!) },
  }
  const trusted = (await ring.list()).flatMap(({ publicKey }) => publicKeysIn(publicKey))
  assert.ok(verifyReceipt(run, trusted).verified)
  const each = async (work: () => unknown): Promise<number> => {
    const start = performance.now()
    for (let round = 0; round < rounds; round++) await work()
    return Math.round(((performance.now() - start) / rounds) * 1000)
  }
  return {
    bare,
    signed,
    sign: await each(() => sign(place, content)),
    read: await each(() => receiptOf(place, stored, signature!)),
  }
}

export async function run(args: readonly string[]): Promise<void> {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '2000' } } })
  const rounds = Number(values.rounds)
  if (!(rounds > 0)) throw new Error(usage)
  const cases: readonly (readonly [string, RunContent])[] = [
    ['1 object', contentOf(1, false)],
    ['1 object, approved by two', contentOf(1, true)],
    ['10 objects', contentOf(10, false)],
    ['100 objects', contentOf(100, false)],
  ]
  const rows: (readonly (string | number)[])[] = []
  for (const [name, content] of cases) {
    const { bare, signed, sign, read } = await measure(content, rounds)
    rows.push([name, bare.bytes, signed.bytes, bare.units, signed.units, sign, read])
  }
  const head = ['changed', 'bytes', 'signed', 'write units', 'signed', 'sign, µs', 'read, µs']
  console.log(table(head, rows))
}
