import type { Hub } from '../../../hub/hub.ts'
import type { Kustomization, SubstituteReference } from '../../../kinds/kustomization.ts'
import type { KubernetesObject } from '../../../kinds/object.ts'

/**
 * The variables of spec.postBuild, by name: from ConfigMaps and Secrets of the Kustomization's namespace in their order,
 * a later one winning, and then its own. Line breaks in values are dropped, as Flux does. Fails when one is missing that is
 * not optional.
 */
export const loadVariables = async (
  hub: Pick<Hub, 'get'>,
  { metadata, spec }: Kustomization,
): Promise<ReadonlyMap<string, string>> => {
  const { substituteFrom = [], substitute = {} } = spec.postBuild ?? {}
  const sources = await Promise.all(substituteFrom.map(reference => valuesOf(hub, metadata.namespace ?? '', reference)))
  const entries = [...sources, substitute].flatMap(Object.entries<string>)
  return new Map(entries.map(([name, value]) => [name, value.replaceAll('\n', '')]))
}

type Values = Readonly<Record<string, string>>

const valuesOf = async (
  hub: Pick<Hub, 'get'>,
  namespace: string,
  { kind, name, optional }: SubstituteReference,
): Promise<Values> => {
  const holder = await hub.get<KubernetesObject & { readonly data?: Values }>({ group: '', kind, namespace, name })
  if (!holder && !optional) {
    throw new Error(`substitute from '${kind}/${name}' error: ${kind.toLowerCase()}s "${name}" not found`)
  }
  const entries = Object.entries(holder?.data ?? {})
  return kind === 'Secret'
    ? Object.fromEntries(entries.map(([key, value]) => [key, decode(value)]))
    : Object.fromEntries(entries)
}

const decode = (value: string): string => Buffer.from(value, 'base64').toString()
