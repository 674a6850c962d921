import assert from 'node:assert/strict'
import { test } from 'node:test'
import { addresses } from '../../../lib/compose/addresses.ts'
import { composeCore } from '../../../lib/compose/core.ts'
import type { Ports } from '../../../lib/compose/platform.ts'
import { defaultSettings } from '../../../lib/compose/settings/settings.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import type { Addressed } from '../../../lib/reconcile/runtime/reconciler.ts'
import { wires } from '../../bed/wires.ts'
import { manualClock } from '../../contracts/manual-clock.ts'

const sourceRef = { kind: 'GitRepository', name: 'apps' }

/** Objects that differ in whatever an address may look at. */
const objects: readonly KubernetesObject[] = [
  { sourceRef },
  { sourceRef, kubeConfig: { secretRef: { name: 'prod' } } },
  { sourceRef, kubeConfig: { configMapRef: { name: 'prod' } } },
  { sourceRef, url: 'https://gitlab.example.com/group/app' },
  { sourceRef, endpoint: 'minio.example.com' },
  { sourceRef: { kind: 'Bucket', name: 'charts' } },
].flatMap(spec => [
  { apiVersion: 'x/v1', kind: 'X', metadata: { name: 'a', namespace: 'apps' }, spec },
  {
    apiVersion: 'x/v1',
    kind: 'X',
    metadata: {
      name: 'a',
      namespace: 'apps',
      labels: { a: 'b' },
      annotations: { 'resourceset.keelson.dev/kubeConfig': 'prod:key' },
    },
    spec,
  },
])

/** What an address says, in a form that can be compared. */
const said = ({
  kind,
  stage,
  isVisited = false,
  visitOf,
  reactsTo = [],
  selects = [],
  followsSecrets,
  followsSpecsOf = [],
  groupOf,
  isNews,
  prepare,
}: Addressed) => ({
  kind: `${kind.kind}.${kind.group}`,
  stage,
  reactsTo,
  selects,
  followsSecrets,
  followsSpecsOf,
  isVisited,
  visits: objects.map(object => visitOf?.(object)),
  prepares: prepare !== undefined,
  groups: objects.map(object => groupOf?.(object)),
  news: objects.flatMap(before => [undefined, ...objects].map(after => isNews?.(before, after))),
})

test('every function knows where the messages for a kind go, as its reconciler has it', async () => {
  const log = { info: () => {}, error: () => {} }
  const usage = { checksPerRecord: 1 }
  const ports = { clock: manualClock(), log, connections: wires(), usage } as unknown as Ports
  for (const buildAhead of [false, true]) {
    const core = composeCore(ports, { ...defaultSettings, artifactAddress: 's3://none', buildAhead })
    const known = new Map(
      addresses({ buildAhead })
        .map(said)
        .map(address => [address.kind, address]),
    )
    for (const reconciler of core.reconcilers.map(said))
      assert.deepEqual(known.get(reconciler.kind), reconciler, `lib/compose/addresses.ts, ${reconciler.kind}`)
    await core.close()
  }
})

test('what inherits a cluster by itself goes in the same group as what names it in a kubeconfig', () => {
  const grouped = (kind: string, spec: object, annotations: Readonly<Record<string, string>> = {}) =>
    addresses({ buildAhead: false })
      .find(address => address.kind.kind === kind)
      ?.groupOf?.({ apiVersion: 'x/v1', kind, metadata: { name: 'a', namespace: 'apps', annotations }, spec } as never)
  for (const kind of ['Kustomization', 'HelmRelease', 'ResourceSet'])
    assert.equal(grouped(kind, {}, { 'keelson.dev/target': 'prod' }), 'apps/prod', kind)
  assert.equal(grouped('Kustomization', { kubeConfig: { secretRef: { name: 'prod' } } }), 'apps/prod')
})
