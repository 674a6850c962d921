/** Records what a kube-apiserver says to `keyword-cases.ts`: `KUBECONFIG=... node test/recorders/keywords.ts`. */
import { writeFileSync } from 'node:fs'
import { changes, schema, specs } from '../unit/foundations/kinds/keyword-cases.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const ask = kubeApiserver()
const collection = '/apis/test.keelson.dev/v1/namespaces/default/keywords'
await ask('DELETE', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/keywords.test.keelson.dev')
await new Promise(resolve => setTimeout(resolve, 1500))
const { code, body } = await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'keywords.test.keelson.dev' },
  spec: {
    group: 'test.keelson.dev',
    names: { kind: 'Keyword', plural: 'keywords', singular: 'keyword', listKind: 'KeywordList' },
    scope: 'Namespaced',
    versions: [{ name: 'v1', storage: true, served: true, schema: { openAPIV3Schema: schema } }],
  },
})
if (code !== 201) throw new Error(body.message)
while ((await ask('GET', collection)).code !== 200) await new Promise(resolve => setTimeout(resolve, 200))

const object = (spec: unknown, metadata = {}) => ({
  apiVersion: 'test.keelson.dev/v1',
  kind: 'Keyword',
  metadata: { name: 'one', ...metadata },
  spec,
})
const causes = ({ code, body }: Awaited<ReturnType<typeof ask>>) =>
  code < 300 ? [] : (body.details?.causes ?? [{ reason: body.reason, message: body.message }])

const recorded: { created: unknown[]; changed: unknown[] } = { created: [], changed: [] }
for (const spec of specs) recorded.created.push(causes(await ask('POST', `${collection}?dryRun=All`, object(spec))))
for (const [before, after] of changes) {
  const { body } = await ask('POST', collection, object(before))
  const { resourceVersion } = body.metadata
  recorded.changed.push(causes(await ask('PUT', `${collection}/one`, object(after, { resourceVersion }))))
  await ask('DELETE', `${collection}/one`)
}
writeFileSync(
  new URL('../unit/foundations/kinds/keywords.recorded.json', import.meta.url),
  `${JSON.stringify(recorded, null, 1)}\n`,
)
await ask.close()
