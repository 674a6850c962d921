import assert from 'node:assert/strict'
import { test } from 'node:test'
import { by, kustomization } from '../store/world.ts'
import { apiWorld, kustomizations } from './world.ts'

const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json'

test('wide tables name the cluster of what applies objects; other tables are as Flux has them', async () => {
  const { send, hub } = await apiWorld()
  const spec = (kubeConfig?: object) => ({ path: './', ...(kubeConfig && { kubeConfig }) })
  const target = (text: string) => ({ annotations: { 'keelson.dev/target': text } })
  for (const object of [
    kustomization('a', spec({ secretRef: { name: 'prod' } })),
    kustomization('b', spec({ configMapRef: { name: 'eks' } })),
    kustomization('c', spec(), target('staging')),
    kustomization('d', spec(), target('no reference')),
  ])
    await hub.create(object, by('me'))
  const { json } = await send('GET', kustomizations, { accept: table })
  const columns = json.columnDefinitions as readonly { readonly name: string; readonly priority: number }[]
  assert.deepEqual(
    columns.map(({ name, priority }) => [name, priority]),
    [
      ['Name', 0],
      ['Age', 0],
      ['Ready', 0],
      ['Status', 0],
      ['Cluster', 1],
    ],
  )
  assert.deepEqual(
    json.rows.map(({ cells }: { readonly cells: readonly unknown[] }) => cells.at(-1)),
    ['Secret/prod', 'ConfigMap/eks', 'Secret/staging', ''],
  )
})
