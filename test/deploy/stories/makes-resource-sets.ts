import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { Comparison } from '../../../lib/foundations/fleet/comparison.ts'
import type { Plan } from '../../../lib/foundations/kinds/plan.ts'
import { eventually } from '../../bed/eventually.ts'
import { becomesItsObjects, collectsInStages, touchesWhatChangedOnly } from '../../bed/resource-set-stories.ts'
import { type DeployedHub, inOrder, patient } from '../deployed-hub.ts'

/** Of a ResourceSet with three objects for each; 1000 take a minute or two of the emulator. */
const inputs = Number(process.env.KEELSON_RESOURCE_SET_INPUTS ?? 20)

/** A ResourceSet whose changes need approval. */
const approved = (value: string): string =>
  JSON.stringify({
    apiVersion: 'fluxcd.controlplane.io/v1',
    kind: 'ResourceSet',
    metadata: { name: 'approved', namespace: 'default', annotations: { 'fleet.keelson.dev/approval': 'Required' } },
    spec: {
      resources: [
        { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'approved', namespace: 'default' }, data: { value } },
      ],
    },
  })

const approvalOf = ({ metadata: { name }, spec: { digest } }: Plan): string =>
  JSON.stringify({
    apiVersion: 'fleet.keelson.dev/v1alpha1',
    kind: 'Approval',
    metadata: { name, namespace: 'default' },
    spec: { subject: { kind: 'Plan', name }, digest },
  })

/** What test/e2e/resource-set.test.ts tells of a hub on one machine. */
export function makesResourceSets({ admin }: DeployedHub): void {
  describe('makes ResourceSets', inOrder, () => {
    test('RS-126 a ResourceSet becomes its objects', () => becomesItsObjects(admin, patient))

    test('an input that changes, or goes, touches its own objects only', async t => {
      const { first, changed, removed } = await touchesWhatChangedOnly(admin, inputs, 600_000)
      t.diagnostic(
        `${3 * inputs} objects in ${first} s; one input changed in ${changed} s, one removed in ${removed} s`,
      )
    })

    test('RS-111 RS-113 what leaves a ResourceSet goes in stages', () => collectsInStages(admin, patient))

    test('while a change waits for an approval, what was approved is kept', async () => {
      const waitingPlan = () =>
        eventually(async () => {
          const { items } = await admin.get<{ readonly items: readonly Plan[] }>('plans')
          const found = items.find(({ spec, status }) => spec.unit.name === 'approved' && status?.phase === 'Waiting')
          assert.ok(found)
          return found
        }, patient)
      const holds = (value: string) =>
        eventually(async () => {
          const found = await admin.kubectl('get', 'configmap', 'approved', '-o', 'jsonpath={.data.value}')
          assert.equal(found, value)
        }, patient)
      await admin.apply(approved('1'))
      await admin.apply(approvalOf(await waitingPlan()))
      await holds('1')
      await admin.apply(approved('2'))
      await waitingPlan()
      await admin.kubectl('delete', 'configmap', 'approved')
      await admin.kubectl('annotate', 'resourceset', 'approved', `reconcile.fluxcd.io/requestedAt=${Date.now()}`)
      await holds('1')
    })

    test('UI-05 a set is compared with what it renders now, by the function that renders it', async () => {
      const path = '/fleet/live/diff?unit=ResourceSet/default/approved'
      const { desired, changes } = JSON.parse(await admin.kubectl('get', '--raw', path)) as Comparison
      assert.deepEqual(
        [desired, ...changes.map(({ kind, name, action }) => `${kind}/${name} ${action}`)],
        ['RenderedNow', 'ConfigMap/approved configured'],
      )
      const [field] = changes[0]?.fields ?? []
      assert.deepEqual([field?.path, field?.before, field?.after], ['data.value', '1', '2'])
    })
  })
}
