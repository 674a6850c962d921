import { generateKeyPairSync } from 'node:crypto'
import type { Run, RunContent } from '../../../../lib/foundations/kinds/run.ts'
import { publicKeysIn } from '../../../../lib/foundations/rules/verify-receipt.ts'
import { type ReceiptKeys, receiptKeys } from '../../../../lib/hub/runs/receipt-keys.ts'
import { runCodec } from '../../../../lib/hub/runs/run-codec.ts'
import { runReader } from '../../../../lib/hub/runs/run-reader.ts'
import { signRuns } from '../../../../lib/hub/runs/sign-run.ts'
import type { RunPlace } from '../../../../lib/platform/ports/runs.ts'
import { by, type HubWorld, hubWorld } from '../store/world.ts'

export const digest = (digit: string): string => `sha256:${digit.repeat(64)}`

export const content: RunContent = {
  unit: { apiVersion: 'kustomize.toolkit.fluxcd.io/v1', kind: 'Kustomization', name: 'app', uid: 'uid-of-app' },
  cluster: { kind: 'Secret', namespace: 'apps', name: 'prod' },
  cause: { type: 'Source', user: 'jané' },
  revision: `main@sha1:${'b'.repeat(40)}`,
  artifact: digest('1'),
  manifests: digest('2'),
  plan: { name: 'kustomization-app-0mjk1q2w3', digest: digest('3'), approvedBy: ['bob'] },
  counts: { configured: 1 },
  changes: [
    {
      ...{ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'login', action: 'configured' },
      fields: [{ path: 'data.password', before: '***', after: '***' }],
    },
  ],
  result: 'Succeeded',
  reason: 'ReconciliationSucceeded',
  message: 'Applied revision: main@sha1:b',
  startedAt: '2026-11-28T12:00:00.000Z',
  finishedAt: '2026-11-28T12:00:01.000Z',
}

export const place: RunPlace = {
  namespace: 'apps',
  startedAt: Date.parse(content.startedAt),
  name: `kustomization-app-${Date.parse(content.startedAt).toString(36).padStart(9, '0')}`,
}

export interface ReceiptScene extends HubWorld {
  readonly keys: ReceiptKeys
  /** Another process of the same hub. */
  otherKeys(): ReceiptKeys
  readonly errors: string[]
  /** Stores the Run, signed. */
  store(content: RunContent, reportedBy?: string): Promise<void>
  /** Changes the Run in the store, as someone who has the master key could. */
  alter(change: (content: RunContent) => RunContent): Promise<void>
  /** The Run, as the API shows it. */
  read(): Promise<Run>
  publicKeys(): Promise<ReturnType<typeof publicKeysIn>>
}

/** A hub with its keys and Runs in real SQLite. */
export const receiptScene = async (): Promise<ReceiptScene> => {
  const world = await hubWorld()
  const { platform, hub, clock } = world
  await hub.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'apps' } }, by('test'))
  const ports = { ...platform, clock }
  const keys = receiptKeys(ports)
  const errors: string[] = []
  const codec = runCodec(platform.keys)
  const sign = signRuns(keys, { error: message => errors.push(message) })
  const record = { ...place, unit: 'Kustomization/app', repeats: 0, facts: '', expires: Number.MAX_SAFE_INTEGER }
  const reader = runReader({ ...platform, hub })
  return {
    ...world,
    ...{ keys, errors, otherKeys: () => receiptKeys(ports) },
    store: async (content, reportedBy) => {
      const signed = await sign(place, content, reportedBy)
      const body = await codec.encode(place, { ...content, ...(signed && { signed }) })
      await platform.runs.add({ ...record, body })
    },
    alter: async change => {
      const { signed, ...stored } = await codec.decode(place, (await platform.runs.get(place))!.body)
      const body = await codec.encode(place, { ...change(stored), ...(signed && { signed }) })
      await platform.runs.replace({ ...record, body })
    },
    read: async () => {
      const { namespace, name } = place
      return (await reader.get<Run>({ group: 'fleet.keelson.dev', kind: 'Run', namespace, name }))!
    },
    publicKeys: async () => (await keys.list()).flatMap(({ publicKey }) => publicKeysIn(publicKey)),
  }
}

/** The public key of somebody else. */
export const foreignKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).publicKey
