/**
 * Records what a kube-apiserver makes of random sequences of applies, updates and patches of `thing.ts`:
 * `KUBECONFIG=... node test/recorders/merge.ts [scenarios] [seed] [file]`.
 */
import { writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { type Step, steps, thing } from '../unit/merge/thing.ts'
import { kubeApiserver } from './kube-apiserver.ts'

const recorded = new URL('../unit/merge/scenarios.recorded.json', import.meta.url)
const [count = '120', seed = '7', file = recorded] = process.argv.slice(2)
const ask = kubeApiserver()

const crd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'things.test.keelson.dev' },
  spec: {
    group: thing.group,
    names: { kind: 'Thing', plural: 'things', singular: 'thing', listKind: 'ThingList' },
    scope: 'Namespaced',
    versions: thing.versions.map(({ name, storage, schema }) => ({
      name,
      storage,
      served: true,
      subresources: { status: {} },
      schema: { openAPIV3Schema: schema },
    })),
  },
}
await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd)
for (let tries = 0; tries < 50; tries++) {
  const { code } = await ask('GET', '/apis/test.keelson.dev/v2/namespaces/default/things')
  if (code === 200) break
  await new Promise(resolve => setTimeout(resolve, 200))
}

const perform = async (step: Step, name: string) => {
  const apiVersion = `${thing.group}/${step.version}`
  const collection = `/apis/${apiVersion}/namespaces/default/things`
  const path = `${collection}/${name}${step.do.endsWith('status') ? '/status' : ''}`
  const { spec, status, labels, manager } = step
  const metadata = { name, namespace: 'default', ...(labels !== undefined && { labels }) }
  const sent = {
    apiVersion,
    kind: 'Thing',
    metadata,
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  }
  switch (step.do) {
    case 'apply':
    case 'apply status':
      return ask('PATCH', `${path}?fieldManager=${manager}&force=${step.force}`, sent, {
        'content-type': 'application/apply-patch+yaml',
      })
    case 'merge':
    case 'merge status':
      return ask('PATCH', `${path}?fieldManager=${manager}`, sent, { 'content-type': 'application/merge-patch+json' })
    case 'update': {
      const live = await ask('GET', path)
      if (live.code === 404) return ask('POST', `${collection}?fieldManager=${manager}`, sent)
      const { managedFields, ...rest } = live.body.metadata
      return ask('PUT', `${path}?fieldManager=${manager}`, {
        ...live.body,
        spec,
        metadata: { ...rest, labels },
      })
    }
  }
}

const stable = (body: Record<string, unknown> & { metadata: Record<string, unknown> }) => {
  const { uid, resourceVersion, creationTimestamp, name, namespace, generation, ...metadata } = body.metadata
  const entries = metadata.managedFields as { time?: string }[] | undefined
  const managedFields = entries?.map(({ time, ...entry }) => entry)
  const { apiVersion, kind, ...content } = body
  return { ...content, metadata: { ...metadata, ...(managedFields && { managedFields }) } }
}

const scenarios = []
for (const [index, sequence] of fc.sample(steps, { numRuns: Number(count), seed: Number(seed) }).entries()) {
  const name = `thing-${index}`
  const answers = []
  for (const step of sequence) {
    const { code, body } = await perform(step, name)
    const answer =
      code < 400
        ? { object: stable(body) }
        : { message: body.message, ...(body.details?.causes && { causes: body.details.causes }) }
    answers.push({ step, code, ...answer })
  }
  scenarios.push(answers)
  await ask('DELETE', `/apis/${thing.group}/v1/namespaces/default/things/${name}`)
}
writeFileSync(file, `[\n${scenarios.map(scenario => JSON.stringify(scenario)).join(',\n')}\n]\n`)
await ask.close()
