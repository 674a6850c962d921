/** Records the tables a kube-apiserver makes of some objects: `KUBECONFIG=... node test/recorders/table.ts`. */
import { readFileSync, writeFileSync } from 'node:fs'
import { builtInKinds } from '../../lib/foundations/kinds/all.ts'
import { tabled } from '../unit/foundations/kinds/table-objects.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const ask = kubeApiserver()
const namespace = 'tables'
await ask('POST', '/api/v1/namespaces', {
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { name: namespace, labels: { tabled: 'yes' } },
})

const file = new URL('../unit/foundations/kinds/table.recorded.json', import.meta.url)
/** Kinds that this cluster does not serve stay as they were recorded elsewhere. */
const recorded: Record<string, unknown> = JSON.parse(readFileSync(file, 'utf8'))
for (const { group, kind, plural, versions, namespaced } of builtInKinds) {
  const apiVersion = group ? `${group}/${versions[0]!.name}` : versions[0]!.name
  const collection = `${group ? '/apis' : '/api'}/${apiVersion}${namespaced ? `/namespaces/${namespace}` : ''}/${plural}`
  if ((await ask('GET', collection)).code === 404) continue
  for (const { status, ...object } of tabled[kind] ?? []) {
    const created = await ask('POST', collection, object)
    if (created.code >= 300 && created.code !== 409) throw new Error(created.body.message)
    if (status) await ask('PUT', `${collection}/${created.body.metadata.name}/status`, { ...created.body, status })
  }
  const accept = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }
  const selector = '?labelSelector=tabled%3Dyes&includeObject=Object'
  const { body } = await ask('GET', collection + selector, undefined, accept)
  const columns = body.columnDefinitions.map(({ description, ...column }: { description: string }) => column)
  recorded[kind] = { columns, rows: body.rows }
}
writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
await ask('DELETE', `/api/v1/namespaces/${namespace}`)
await ask.close()
