import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describePruneFailures, notYetGone, prune } from '../../../lib/clusters/apply/prune.ts'
import { refOf } from '../../../lib/foundations/kinds/object.ts'
import { inventoryEntry } from '../../../lib/foundations/rules/inventory.ts'
import { eventually } from '../../bed/eventually.ts'
import { type ApplyBed, owner, told } from '../apply-bed.ts'
import { definition, deployment } from '../manifests.ts'

/** What leaves the inventory goes, as far as it is ours. */
export function prunes({ bed, target, space, apply }: ApplyBed): void {
  test('KS-024, KS-026, KS-031..037 prunes what is ours in reverse order, and nothing else', async () => {
    const { configMap, object, namespace, live } = await space()
    const keep = { annotations: { 'kustomize.toolkit.fluxcd.io/prune': 'Disabled' } }
    const objects = [
      configMap('gone'),
      configMap('kept', {}, keep),
      configMap('moved'),
      configMap('ours'),
      object('v1', 'ServiceAccount', 'sa'),
      deployment(object, 'web'),
    ]
    await apply(objects)
    await bed.kubectl('-n', namespace, 'delete', 'configmap', 'gone')
    await bed.kubectl(
      '-n',
      namespace,
      'label',
      '--overwrite',
      'configmap',
      'moved',
      'kustomize.toolkit.fluxcd.io/name=other',
    )
    const stale = [...objects.map(inventoryEntry), { id: `${namespace}_x_never.example.com_Was`, v: 'v1' }]
    const { changes, failures } = await prune(target, stale, { owner })
    assert.deepEqual(failures, [])
    assert.deepEqual(told(changes), [
      `Was/${namespace}/x deleted`,
      `Deployment/${namespace}/web deleted`,
      `ConfigMap/${namespace}/ours deleted`,
      `ConfigMap/${namespace}/moved skipped`,
      `ConfigMap/${namespace}/kept skipped`,
      `ConfigMap/${namespace}/gone deleted`,
      `ServiceAccount/${namespace}/sa deleted`,
    ])
    await eventually(async () => {
      assert.deepEqual(
        await notYetGone(
          target,
          changes.filter(({ action }) => action === 'deleted'),
        ),
        [],
      )
    })
    assert.ok(await live('configmap', 'moved'))
  })

  test('finds an object to prune in another version when the one it was applied in is served no more', async () => {
    const { namespace } = await space()
    const group = `${namespace}.example.com`
    const widget = { apiVersion: `${group}/v1`, kind: 'Widget', metadata: { name: 'w', namespace } }
    await apply([definition(group), widget])
    const { changes } = await prune(target, [{ id: `${namespace}_w_${group}_Widget`, v: 'v1beta1' }], { owner })
    assert.deepEqual(told(changes), [`Widget/${namespace}/w deleted`])
    assert.equal(await target.get(widget.apiVersion, refOf(widget)), undefined)
  })

  test('KS-034 reports which objects the cluster refused to delete, and deletes the others', async () => {
    const { configMap, namespace } = await space()
    await bed.apply(refuseDeletionOf('b', namespace))
    const objects = [configMap('a'), configMap('b')]
    await apply(objects)
    const entries = objects.map(inventoryEntry)
    const tryDeletion = () => bed.kubectl('-n', namespace, 'delete', 'configmap', 'b', '--dry-run=server')
    await eventually(() => assert.rejects(tryDeletion(), /protected object/), { every: 500 })
    const { changes, failures } = await prune(target, entries, { owner })
    assert.deepEqual(told(changes), [`ConfigMap/${namespace}/a deleted`])
    assert.deepEqual(
      failures.map(({ entry }) => entry),
      [entries[1]],
    )
    assert.equal(
      describePruneFailures(failures),
      `delete failed, errors: ConfigMap/${namespace}/b delete failed: configmaps "b" is forbidden: ValidatingAdmissionPolicy '${namespace}' with binding '${namespace}' denied request: protected object;`,
    )
  })
}

const refuseDeletionOf = (name: string, namespace: string): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'List',
    items: [
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicy',
        metadata: { name: namespace },
        spec: {
          failurePolicy: 'Fail',
          matchConstraints: {
            resourceRules: [
              { apiGroups: [''], apiVersions: ['v1'], operations: ['DELETE'], resources: ['configmaps'] },
            ],
          },
          validations: [{ expression: `oldObject.metadata.name != '${name}'`, message: 'protected object' }],
        },
      },
      {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingAdmissionPolicyBinding',
        metadata: { name: namespace },
        spec: {
          policyName: namespace,
          validationActions: ['Deny'],
          matchResources: { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': namespace } } },
        },
      },
    ],
  })
