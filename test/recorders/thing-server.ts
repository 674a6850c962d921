/** Objects of `thing.ts` on a real kube-apiserver. */
import { type Step, thing } from '../unit/engines/merge/thing.ts'
import type { Ask } from './kube-apiserver.ts'

/** Asked of a live object: a step of a scenario. */
export interface ThingServer {
  perform(step: Step, name: string): ReturnType<Ask>
  remove(name: string): Promise<void>
}

/** Installs the kind, if it is not there yet, and waits until it is served. */
export const thingServer = async (ask: Ask): Promise<ThingServer> => {
  await ask('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition)
  await served(ask)
  return {
    perform: (step, name) => perform(ask, step, name),
    remove: async name => {
      await ask('DELETE', `/apis/${thing.group}/v1/namespaces/default/things/${name}`)
    },
  }
}

const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `things.${thing.group}` },
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

const served = async (ask: Ask): Promise<void> => {
  for (let tries = 0; tries < 100; tries++) {
    const { code } = await ask('GET', `/apis/${thing.group}/v2/namespaces/default/things`)
    if (code === 200) return
    await new Promise(resolve => setTimeout(resolve, 200))
  }
  throw new Error(`${definition.metadata.name} is not served after 20 s`)
}

const perform = async (ask: Ask, step: Step, name: string): ReturnType<Ask> => {
  const apiVersion = `${thing.group}/${step.version}`
  const collection = `/apis/${apiVersion}/namespaces/default/things`
  const item = `${collection}/${name}${step.do.endsWith('status') ? '/status' : ''}?fieldManager=${step.manager}`
  const { spec, status, labels } = step
  const sent = {
    apiVersion,
    kind: 'Thing',
    metadata: { name, namespace: 'default', ...(labels !== undefined && { labels }) },
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  }
  switch (step.do) {
    case 'apply':
    case 'apply status':
      return ask('PATCH', `${item}&force=${step.force}`, sent, { 'content-type': 'application/apply-patch+yaml' })
    case 'merge':
    case 'merge status':
      return ask('PATCH', item, sent, { 'content-type': 'application/merge-patch+json' })
    case 'update': {
      const live = await ask('GET', item)
      if (live.code === 404) return ask('POST', `${collection}?fieldManager=${step.manager}`, sent)
      const { managedFields, ...metadata } = live.body.metadata
      return ask('PUT', item, { ...live.body, spec, metadata: { ...metadata, labels } })
    }
  }
}
