import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { applyAll } from '../../../lib/clusters/apply/apply-all.ts'
import { ApplyError } from '../../../lib/clusters/apply/apply-error.ts'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { inventoryEntry } from '../../../lib/foundations/rules/inventory.ts'
import { type ApplyBed, clock, owner, told } from '../apply-bed.ts'

/** What is refused, in which words. */
export function reportsFaults({ bed, remotes, space, apply }: ApplyBed): void {
  test('KS-275 reports every error at once, with the file it came from, and writes nothing then', async () => {
    const { configMap, object, namespace } = await space()
    const objects = [
      configMap('a'),
      configMap('b', { n: 1 }),
      object('v1', 'Service', 'c', { spec: { ports: [{ port: 99999 }] } }),
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'lost' } },
      object('example.com/v1', 'Nonsense', 'x'),
    ]
    const error = await apply(objects, { originOf: object => `apps/${object.metadata.name}.yaml` }).catch(
      error => error,
    )
    assert.ok(error instanceof ApplyError)
    assert.deepEqual(error.message.split('\n'), [
      'ConfigMap/lost namespace not specified: the server could not find the requested resource (from apps/lost.yaml)',
      `ConfigMap/${namespace}/b dry-run failed: failed to create typed patch object (${namespace}/b; /v1, Kind=ConfigMap): .data.n: expected string, got &value.valueUnstructured{Value:1} (from apps/b.yaml)`,
      `Service/${namespace}/c dry-run failed (Invalid): Service "c" is invalid: [spec.ports[0].port: Invalid value: 99999: must be between 1 and 65535, inclusive, spec.ports[0].targetPort: Invalid value: 99999: must be between 1 and 65535, inclusive] (from apps/c.yaml)`,
      `Nonsense/${namespace}/x dry-run failed: no matches for kind "Nonsense" in version "example.com/v1" (from apps/x.yaml)`,
    ])
    assert.deepEqual(error.changes, [])
    assert.equal(await bed.kubectl('-n', namespace, 'get', 'configmap', 'a', '--ignore-not-found'), '')
  })

  test('KS-291 an error holds nothing of a Secret', async () => {
    const { object } = await space()
    const error = await apply([object('v1', 'Secret', 's', { stringData: { pin: 84759302 } })]).catch(error => error)
    assert.match(error.message, /\.stringData\.pin: expected string, got .*\*\*\*/)
    assert.doesNotMatch(error.message, /84759302/)
  })

  test('an account with rights in one namespace only applies there, and gets errors for the rest', async () => {
    const { configMap, namespace } = await space()
    await bed.kubectl('-n', namespace, 'create', 'serviceaccount', 'tenant')
    await bed.kubectl(
      '-n',
      namespace,
      'create',
      'rolebinding',
      'tenant',
      '--clusterrole=admin',
      `--serviceaccount=${namespace}:tenant`,
    )
    const user = `system:serviceaccount:${namespace}:tenant`
    const tenant = remotes.fromKubeconfig(readFileSync(bed.kubeconfig, 'utf8'), { user })
    const run = (objects: readonly KubernetesObject[]) =>
      applyAll(tenant, objects, {
        fieldManager: 'kustomize-controller',
        owner,
        recorded: new Set(objects.map(object => inventoryEntry(object).id)),
        clock,
      })
    const ours = [configMap('a'), configMap('b')]
    await run(ours)
    assert.deepEqual(
      told((await run(ours)).changes),
      ['a', 'b'].map(name => `ConfigMap/${namespace}/${name} unchanged`),
    )
    const theirs = configMap('c', {}, { namespace: 'default' })
    await assert.rejects(run([...ours, theirs]), {
      message: `ConfigMap/default/c dry-run failed (Forbidden): configmaps "c" is forbidden: User "${user}" cannot patch resource "configmaps" in API group "" in the namespace "default"`,
    })
  })
}
