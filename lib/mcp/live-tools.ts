/** What a unit's objects are like on their cluster now, read with the rights that the caller has there. */
import * as z from 'zod'
import { namedOrFailing, namesOfContainers, podId } from '../foundations/fleet/failing-pods.ts'
import { apiVersionOf } from '../foundations/kinds/all.ts'
import type { KubernetesObject } from '../foundations/kinds/object.ts'
import { type LiveRef, readLiveEvents, readLiveObject, readLiveTree, readPodLog } from '../hub-client/read-live.ts'
import { eventRow } from './event-row.ts'
import { kindNamed, unitTerms } from './terms.ts'
import { type Tool, ToolFailure, tool } from './tool.ts'

const item = z.looseObject({})

interface UnitName {
  readonly kind: string
  readonly namespace: string
  readonly name: string
}

const unitOf = ({ kind, namespace, name }: UnitName): KubernetesObject => ({
  ...{ apiVersion: apiVersionOf(kindNamed(kind)), kind, metadata: { namespace, name } },
})

const liveObjects = tool({
  name: 'live_objects',
  title: 'Health of the objects of a unit',
  description:
    'The objects that a unit has applied, as they are on its cluster now: health, and the pods of workloads with restarts and images. Their `id` is for get_live_object.',
  input: z.object(unitTerms),
  output: z.looseObject({ objects: z.array(item), pods: z.array(item), refused: z.array(z.string()) }),
  run: async (name, { api, signal }) => {
    const data = await readLiveTree(api, unitOf(name), signal)
    const unready = data.objects.filter(({ state }) => state !== 'ready').length
    const summary = `${data.objects.length} objects on the cluster of ${name.kind}/${name.namespace}/${name.name}, ${unready} of them not ready; ${data.pods.length} pods.`
    return { summary, data: { ...data } }
  },
})

const getLiveObject = tool({
  name: 'get_live_object',
  title: 'Get an object on a cluster',
  description:
    'One object that a unit has applied, or one of its pods, as it is on the cluster now, with its events. Values of Secrets are masked.',
  input: z.object({ ...unitTerms, id: z.string().describe('As in live_objects.') }),
  output: z.looseObject({ object: item, events: z.array(item) }),
  run: async ({ id, ...name }, { api, signal }) => {
    const ref: LiveRef = { unit: unitOf(name), object: id }
    const [object, events] = await Promise.all([readLiveObject(api, ref, signal), readLiveEvents(api, ref, signal)])
    return { summary: `${id} on the cluster.`, data: { object, events: events.map(eventRow) } }
  },
})

const logsTail = tool({
  name: 'logs_tail',
  title: 'Last lines of a log',
  description: 'The last lines that a container of a pod has written. live_objects names the pods of a unit.',
  input: z.object({
    ...unitTerms,
    pod: z.string().describe('Name of the pod.'),
    podNamespace: z.string().describe('Namespace of the pod on the cluster.'),
    container: z.string().optional().describe('If absent, one that fails, or else the first of the pod.'),
    previous: z.boolean().default(false).describe('Of the run before the current one, for a container that restarts.'),
    lines: z.number().int().min(1).max(200).default(50),
  }),
  output: z.looseObject({ container: z.string(), lines: z.array(z.string()) }),
  run: async ({ pod, podNamespace, container: wanted, previous, lines: tailLines, ...name }, { api, signal }) => {
    const ref: LiveRef = { unit: unitOf(name), object: podId({ namespace: podNamespace, name: pod }) }
    const found = await readLiveObject(api, ref, signal)
    const names = namesOfContainers(found)
    const container = namedOrFailing(found, wanted)
    if (!container || !names.includes(container))
      throw new ToolFailure(`the pod has the containers ${names.join(', ')}`)
    const lines = await readPodLog(api, ref, { container, previous, tailLines }, signal)
    return { summary: `${lines.length} lines of the container ${container}.`, data: { container, lines } }
  },
})

export const liveTools: readonly Tool[] = [liveObjects, getLiveObject, logsTail]
