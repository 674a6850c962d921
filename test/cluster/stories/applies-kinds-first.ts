import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type ApplyBed, ssa } from '../apply-bed.ts'
import { definition } from '../manifests.ts'

/** Objects whose kind or namespace comes with them. */
export function appliesKindsFirst({ bed, space, apply }: ApplyBed): void {
  test('KS-273, KS-274 applies a namespace, a kind and objects of both in one run', async () => {
    const { namespace } = await space()
    const group = `${namespace}.example.com`
    const objects = [
      {
        apiVersion: `${group}/v1`,
        kind: 'Widget',
        metadata: { name: 'w', namespace: `${namespace}-new` },
        spec: { x: 1 },
      },
      { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: `${namespace}-new` } },
      { apiVersion: 'v1', kind: 'Namespace', metadata: { name: `${namespace}-new` } },
      definition(group),
    ]
    const subjects = [
      `CustomResourceDefinition/widgets.${group}`,
      `Namespace/${namespace}-new`,
      `ConfigMap/${namespace}-new/a`,
      `Widget/${namespace}-new/w`,
    ]
    assert.deepEqual(
      await apply(objects),
      subjects.map(subject => `${subject} created`),
    )
    assert.deepEqual(
      await apply(objects),
      subjects.map(subject => `${subject} unchanged`),
    )
    // An invalid object in a later stage keeps the earlier ones from being written, too.
    const broken = [definition(`other.${group}`), { ...objects[1]!, data: { n: 1 } }]
    await assert.rejects(apply(broken), /\.data\.n: expected string/)
    assert.equal(await bed.kubectl('get', 'crd', `widgets.other.${group}`, '--ignore-not-found'), '')
  })

  test('KS-282 a cluster-scoped object that the build put into a namespace is one without, from the first run on', async () => {
    const { namespace } = await space()
    const group = `${namespace}.example.com`
    const crd = definition(group, 'Cluster')
    const widget = (name: string, metadata: object = {}) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name, namespace, ...metadata },
    })
    const objects = [crd, widget('a'), widget('b'), widget('once', ssa('IfNotPresent'))]
    const told = (a: string, once = a) => [
      `CustomResourceDefinition/widgets.${group} ${a}`,
      `Widget/a ${a}`,
      `Widget/b ${a}`,
      `Widget/once ${once}`,
    ]
    assert.deepEqual(await apply(objects), told('created'))
    assert.deepEqual(await apply(objects), told('unchanged', 'skipped'))
  })
}
