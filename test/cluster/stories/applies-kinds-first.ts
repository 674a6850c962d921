import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { type ApplyBed, ssa, told } from '../apply-bed.ts'
import { definition } from '../manifests.ts'

/** Objects whose kind or namespace comes with them. */
export function appliesKindsFirst({ bed, space, apply, applyAs }: ApplyBed): void {
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
    const outcome = (a: string, once = a) => [
      `CustomResourceDefinition/widgets.${group} ${a}`,
      `Widget/a ${a}`,
      `Widget/b ${a}`,
      `Widget/once ${once}`,
    ]
    assert.deepEqual(await apply(objects), outcome('created'))
    assert.deepEqual(await apply(objects), outcome('unchanged', 'skipped'))
  })

  test('KS-274 objects that need a changed definition are applied in the same run as the change', async () => {
    const { namespace } = await space()
    const group = `${namespace}.example.com`
    const colours = { type: 'string', enum: ['red'] }
    const crd = (properties: object) => definition(group, 'Namespaced', { type: 'object', properties })
    const widget = (spec: object) => ({
      apiVersion: `${group}/v1`,
      kind: 'Widget',
      metadata: { name: 'w', namespace },
      spec,
    })
    const spec = (properties: object) => ({ spec: { type: 'object', properties } })
    const live = async () => (await bed.get<KubernetesObject>('-n', namespace, `widgets.${group}`, 'w')).spec
    const outcome = (crd: string, widget: string) => [
      `CustomResourceDefinition/widgets.${group} ${crd}`,
      `Widget/${namespace}/w ${widget}`,
    ]
    await apply([crd(spec({ colour: colours })), widget({ colour: 'red' })])

    // The old schema refuses the value.
    const more = { type: 'string', enum: ['red', 'blue'] }
    const blue = [crd(spec({ colour: more })), widget({ colour: 'blue' })]
    assert.deepEqual(await apply(blue), outcome('configured', 'configured'))
    assert.deepEqual(await live(), { colour: 'blue' })
    assert.deepEqual(await apply(blue), outcome('unchanged', 'unchanged'))

    // The old schema accepts the object, and drops the field.
    const sized = [crd(spec({ colour: more, size: { type: 'integer' } })), widget({ colour: 'blue', size: 3 })]
    assert.deepEqual(await apply(sized), outcome('configured', 'configured'))
    assert.deepEqual(await live(), { colour: 'blue', size: 3 })

    // A change of the definition that its objects do not notice is not waited for.
    const described = [{ ...sized[0]!, metadata: { name: `widgets.${group}`, labels: { a: 'b' } } }, sized[1]!]
    assert.deepEqual(await apply(described), outcome('configured', 'unchanged'))

    // What the new schema refuses, too, is told, and the definition has been changed by then.
    const green = [crd(spec({ colour: { ...more, description: 'c' } })), widget({ colour: 'green' })]
    await assert.rejects(apply(green), ({ message, changes }) => {
      assert.match(message, /Unsupported value: "green": supported values: "red", "blue"/)
      assert.deepEqual(told(changes), outcome('configured', '').slice(0, 1))
      return true
    })
  })

  test('KS-134 an account that may not bind every role binds the roles that come with the binding', async () => {
    const { namespace, object } = await space()
    const user = `system:serviceaccount:${namespace}:deployer`
    const rbac = 'rbac.authorization.k8s.io/v1'
    const subjects = [{ kind: 'ServiceAccount', name: 'app', namespace }]
    const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }]
    const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name })
    const clusterWide = (kind: string, fields: object) => ({
      apiVersion: rbac,
      kind,
      metadata: { name: `${namespace}-app` },
      ...fields,
    })
    await apply([
      object('v1', 'ServiceAccount', 'deployer'),
      clusterWide('ClusterRole', {
        rules: [
          { apiGroups: ['rbac.authorization.k8s.io'], resources: ['*'], verbs: ['get', 'list', 'create', 'patch'] },
          ...rules,
        ],
      }),
      clusterWide('ClusterRoleBinding', {
        roleRef: roleRef('ClusterRole', `${namespace}-app`),
        subjects: [{ kind: 'ServiceAccount', name: 'deployer', namespace }],
      }),
    ])
    const granted = [
      object(rbac, 'RoleBinding', 'reader', { roleRef: roleRef('Role', 'reader'), subjects }),
      object(rbac, 'Role', 'reader', { rules }),
      { ...clusterWide('ClusterRole', { rules }), metadata: { name: `${namespace}-reader` } },
      {
        ...clusterWide('ClusterRoleBinding', { roleRef: roleRef('ClusterRole', `${namespace}-reader`), subjects }),
        metadata: { name: `${namespace}-reader` },
      },
    ]
    const outcome = [
      `ClusterRole/${namespace}-reader created`,
      `ClusterRoleBinding/${namespace}-reader created`,
      `Role/${namespace}/reader created`,
      `RoleBinding/${namespace}/reader created`,
    ]
    assert.deepEqual(await applyAs(user, granted), outcome)
    const lonely = object(rbac, 'RoleBinding', 'lonely', { roleRef: roleRef('Role', 'nobody'), subjects })
    await assert.rejects(applyAs(user, [lonely]), /RoleBinding\/.*\/lonely not found: .*"nobody" not found/)
  })
}
