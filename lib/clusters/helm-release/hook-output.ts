import type { ReleaseHook } from '../../engines/helm/release/release.ts'
import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { ClusterError } from '../client/client.ts'
import type { ActionDeps } from './action.ts'
import { objectsOf } from './objects.ts'
import { ActionFailed } from './run.ts'

/** Limits of the reported output of a hook: Events are short, and so is the annotation that stores it. */
const MAX_LINES = 10
const MAX_CHARACTERS = 200

/**
 * The last lines of output of a hook's containers, as `pod/container: line`. As in Helm, an error while reading them becomes a line of the
 * output.
 */
export const hookOutput = async (
  deps: ActionDeps,
  { manifest, path }: ReleaseHook,
  namespace: string,
): Promise<readonly string[]> => {
  const lines: string[] = []
  try {
    for (const object of await objectsOf(deps, manifest, namespace))
      for (const pod of await podsOf(deps, object)) lines.push(...(await outputOf(deps, pod)))
  } catch (error) {
    if (!(error instanceof ClusterError || error instanceof ActionFailed)) throw error
    lines.push(`error outputting logs of hook ${path}: ${error.message}`)
  }
  return lines.slice(-MAX_LINES).map(shortened)
}

type Pod = KubernetesObject & { readonly spec?: { readonly containers?: readonly { readonly name: string }[] } }

const podsOf = async ({ cluster, signal }: ActionDeps, object: KubernetesObject): Promise<readonly Pod[]> => {
  const { kind, metadata } = object
  if (kind === 'Pod') {
    const pod = await cluster.get('v1', refOf(object), { signal })
    return pod ? [pod as Pod] : []
  }
  if (kind !== 'Job') return []
  const { name, namespace = '' } = metadata
  const query = { apiVersion: 'v1', kind: 'Pod', namespace, labelSelector: `job-name=${name}` }
  return (await cluster.list(query, { signal })).items as readonly Pod[]
}

const outputOf = async ({ cluster, signal }: ActionDeps, { metadata, spec }: Pod): Promise<readonly string[]> => {
  const lines: string[] = []
  for (const { name } of spec?.containers ?? []) {
    const pod = { namespace: metadata.namespace ?? '', name: metadata.name }
    const limits = { tailLines: MAX_LINES, limitBytes: 64 * 1024 }
    const output = (await cluster.podLog?.(pod, { container: name, ...limits, signal })) ?? ''
    for (const line of output.split('\n')) if (line.trim() !== '') lines.push(`${metadata.name}/${name}: ${line}`)
  }
  return lines
}

const shortened = (line: string): string => {
  const text = line.replace(/\p{Cc}+/gu, ' ').trimEnd()
  return text.length > MAX_CHARACTERS ? `${text.slice(0, MAX_CHARACTERS)}…` : text
}
