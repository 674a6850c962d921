/** Records what a kube-apiserver makes of `patch-cases.ts`: `KUBECONFIG=... node test/recorders/patches.ts` (after merge.ts, for its kind; without controllers, which would delete what has no owner). */
import { writeFileSync } from 'node:fs'
import { cases, originals, type PatchCase } from '../unit/engines/merge/patch-cases.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const ask = kubeApiserver()

const collections = {
  ConfigMap: '/api/v1/namespaces/default/configmaps',
  ServiceAccount: '/api/v1/namespaces/default/serviceaccounts',
  Thing: '/apis/test.keelson.dev/v1/namespaces/default/things',
}
const types = {
  json: 'application/json-patch+json',
  merge: 'application/merge-patch+json',
  strategic: 'application/strategic-merge-patch+json',
}

const stable = (body: Record<string, Record<string, unknown>>) => {
  const { uid, resourceVersion, creationTimestamp, managedFields, generation, ...metadata } = body.metadata!
  return { ...body, metadata }
}

const record = async ({ kind, type, patch }: PatchCase) => {
  const { code, body } = await ask('PATCH', `${collections[kind]}/patched?dryRun=All`, patch, {
    'content-type': types[type],
  })
  return code < 300
    ? { code, object: stable(body) }
    : { code, reason: body.reason, message: body.message, causes: body.details?.causes }
}

const recorded: Record<string, unknown> = {}
for (const [kind, original] of Object.entries(originals)) {
  const { code, body } = await ask('POST', collections[kind as PatchCase['kind']], original)
  if (code !== 201) throw new Error(body.message)
}
for (const one of cases) recorded[one.title] = await record(one)
for (const kind of Object.keys(originals)) {
  const item = `${collections[kind as PatchCase['kind']]}/patched`
  await ask('PATCH', item, { metadata: { finalizers: null } }, { 'content-type': types.merge })
  await ask('DELETE', item)
}
writeFileSync(
  new URL('../unit/engines/merge/patches.recorded.json', import.meta.url),
  `${JSON.stringify(recorded, null, 1)}\n`,
)
await ask.close()
