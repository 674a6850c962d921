/** Records what a kube-apiserver answers to `ownership-scripts.ts`: `KUBECONFIG=... node test/recorders/ownership.ts [TITLE...]` (as patches.ts). */
import { readFileSync, writeFileSync } from 'node:fs'
import { type Request, scripts } from '../unit/engines/merge/ownership-scripts.ts'
import { stable } from '../unit/engines/merge/world.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const ask = kubeApiserver()
const apiVersions = { ConfigMap: 'v1', Thing: 'test.keelson.dev/v1' }
const collections = {
  ConfigMap: '/api/v1/namespaces/default/configmaps',
  Thing: '/apis/test.keelson.dev/v1/namespaces/default/things',
}

const perform = async ({ do: action, manager, force = false, kind, body }: Request) => {
  // Entries of managedFields are ordered by their times, in whole seconds.
  await new Promise(resolve => setTimeout(resolve, 1100))
  const collection = collections[kind]
  const item = `${collection}/script`
  const metadata = { name: 'script', namespace: 'default', ...(body.metadata as object) }
  const sent = { apiVersion: apiVersions[kind], kind, ...body, metadata }
  const query = `?fieldManager=${manager}`
  switch (action) {
    case 'create':
      return ask('POST', collection + query, sent)
    case 'merge':
      return ask('PATCH', item + query, body, { 'content-type': 'application/merge-patch+json' })
    case 'put': {
      const { body: live } = await ask('GET', item)
      return ask('PUT', item + query, {
        ...live,
        ...body,
        metadata: { ...live.metadata, ...(body.metadata as object) },
      })
    }
    default: {
      const path = action === 'apply' ? item : `${item}/status`
      return ask('PATCH', `${path}${query}&force=${force}`, sent, { 'content-type': 'application/apply-patch+yaml' })
    }
  }
}

const file = new URL('../unit/engines/merge/ownership.recorded.json', import.meta.url)
const before: Record<string, unknown[]> = JSON.parse(readFileSync(file, 'utf8'))
const titles = process.argv.slice(2)
const recorded: Record<string, unknown[]> = {}
for (const [title, requests] of Object.entries(scripts)) {
  recorded[title] = titles.length === 0 || titles.includes(title) ? [] : before[title]!
  if (recorded[title].length > 0) continue
  for (const request of requests) {
    const { code, body } = await perform(request)
    const answer = code < 300 ? { object: stable(body) } : { message: body.message, causes: body.details?.causes }
    recorded[title].push({ code, ...answer })
  }
  for (const collection of Object.values(collections)) {
    const noFinalizers = { metadata: { finalizers: null } }
    await ask('PATCH', `${collection}/script`, noFinalizers, { 'content-type': 'application/merge-patch+json' })
    await ask('DELETE', `${collection}/script`)
  }
}
writeFileSync(file, `${JSON.stringify(recorded, null, 1)}\n`)
await ask.close()
