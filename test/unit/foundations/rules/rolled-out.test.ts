import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { HelmRelease } from '../../../../lib/foundations/kinds/helm-release.ts'
import type { Rollout } from '../../../../lib/foundations/kinds/rollout.ts'
import {
  isHeldFrom,
  isRolledOut,
  type RolledOutSource,
  sourceAmong,
} from '../../../../lib/foundations/rules/rolled-out.ts'

const rollout = {
  ...{ kind: 'Rollout', metadata: { name: 'web', namespace: 'apps' } },
  spec: { sources: [{ kind: 'HelmChart', name: 'web' }] },
} as unknown as Rollout

type OwnChart = NonNullable<HelmRelease['spec']['chart']>['spec']

const repository = { kind: 'HelmRepository', name: 'charts' } as const
const own = (more: Partial<OwnChart> = {}): OwnChart => ({
  ...{ chart: 'web', version: '6.x', sourceRef: repository, reconcileStrategy: 'ChartVersion', interval: '1m' },
  ...more,
})

const release = (spec: OwnChart, pin?: string): HelmRelease =>
  ({
    kind: 'HelmRelease',
    metadata: {
      name: 'paris',
      namespace: 'apps',
      ...(pin && { annotations: { 'keelson.dev/pin': `${pin}@2026-01-01T00:00:00Z` } }),
    },
    spec: { interval: '1h', chart: { spec } },
    status: { helmChart: 'apps/apps-paris', conditions: [{ type: 'Pinned', status: 'True' }] },
  }) as unknown as HelmRelease

const source = (more: Partial<RolledOutSource['chart']> = {}): RolledOutSource => ({
  ...{ kind: 'HelmChart', namespace: 'apps', name: 'web' },
  chart: { chart: 'web', version: '6.x', interval: '1h', sourceRef: repository, ...more },
})

const joins = (unit: HelmRelease, ...sources: readonly RolledOutSource[]): boolean =>
  isRolledOut(unit, rollout, sources, () => true)

test('RO-02 a release with a chart of its own joins a Rollout when that is the chart of a source', () => {
  assert.ok(joins(release(own()), source()), 'its interval does not matter')
  assert.ok(joins(release(own({ version: '*' })), source()), 'it leaves the version to the HelmChart')
  assert.ok(joins(release(own({ sourceRef: { ...repository, namespace: 'apps' } })), source()))
  const others: readonly Partial<OwnChart>[] = [
    { chart: 'api' },
    { version: '5.2.0' },
    { sourceRef: { ...repository, name: 'other' } },
    { sourceRef: { ...repository, kind: 'GitRepository' } },
    { sourceRef: { ...repository, namespace: 'team' } },
    { valuesFiles: ['values-prod.yaml'] },
    { ignoreMissingValuesFiles: true },
  ]
  for (const other of others) assert.equal(joins(release(own(other)), source()), false, JSON.stringify(other))
  assert.ok(joins(release(own({ valuesFiles: ['a.yaml'] })), source({ valuesFiles: ['a.yaml'] })))
  assert.equal(
    joins(release(own()), { ...source(), kind: 'HelmChart', chart: undefined as never }),
    false,
    'no HelmChart',
  )
})

test('a release takes no artifact whose signature was verified in another way than it demands', () => {
  const verify = { provider: 'cosign', secretRef: { name: 'keys' } } as const
  assert.equal(joins(release(own({ verify })), source()), false)
  assert.equal(joins(release(own({ verify })), source({ verify: { provider: 'cosign' } })), false)
  assert.equal(joins(release(own({ verify: { provider: 'cosign' } })), source({ verify })), false)
  const identities = [{ issuer: '^https://issuer$', subject: '^ci$' }]
  assert.ok(joins(release(own({ verify })), source({ verify: { ...verify, matchOIDCIdentity: identities } })))
  assert.ok(joins(release(own()), source({ verify })), 'it demands nothing')
})

test('RO-04 a release with a pin stays with its Rollout when its chart changes, and takes the artifact only of the same chart', () => {
  const bumped = release(own({ version: '7.0.0', valuesFiles: ['new.yaml'] }), 'apps/web-7')
  assert.ok(joins(bumped, source()))
  assert.equal(sourceAmong([source()], bumped)?.name, 'web')
  const moved = release(own({ sourceRef: { ...repository, name: 'mirror' } }), 'apps/web-7')
  assert.ok(joins(moved, source()))
  assert.equal(sourceAmong([source()], moved), undefined)
  for (const other of ['apps/web-canary-7', 'team/web-7'])
    assert.equal(joins(release(own({ version: '7.0.0' }), other), source()), false, other)
})

test('a pinned release ignores news of the HelmChart that was made for it, and of no other', () => {
  const made = { kind: 'HelmChart', namespace: 'apps', name: 'apps-paris' }
  assert.ok(isHeldFrom(release(own(), 'apps/web-7'), made))
  assert.equal(isHeldFrom(release(own()), made), false)
  assert.equal(isHeldFrom(release(own(), 'apps/web-7'), { ...made, name: 'web' }), false)
})
