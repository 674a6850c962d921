import type { Kustomization, SubstituteReference } from '../../../foundations/kinds/kustomization.ts'
import type { KubernetesObject } from '../../../foundations/kinds/object.ts'
import { type References, secretKind } from '../../../hub/references/references.ts'
import { configDataOf } from '../../source-artifact/pinned-artifact.ts'

export interface Variables {
  readonly values: ReadonlyMap<string, string>
  /** Names of those that a Secret defines. */
  readonly ofSecrets: ReadonlySet<string>
}

export const noVariables: Variables = { values: new Map(), ofSecrets: new Set() }

/**
 * The variables of spec.postBuild, by name: from ConfigMaps and Secrets of the Kustomization's namespace in order,
 * where a later one wins, and then the inline ones. Strips line breaks from values, as Flux does. Fails if a source is missing that is
 * not optional.
 */
export const loadVariables = async (references: References, kustomization: Kustomization): Promise<Variables> => {
  const { substituteFrom = [], substitute = {} } = kustomization.spec.postBuild ?? {}
  const configData = configDataOf(kustomization, references)
  const dataIn = async ({ kind, name }: SubstituteReference): Promise<Values | undefined> => {
    if (kind !== 'Secret') return configData(name)
    const secret = await references.local<Holder>(kustomization, secretKind, name)
    return secret && Object.fromEntries(Object.entries(secret.data ?? {}).map(([key, value]) => [key, decode(value)]))
  }
  const sources = await Promise.all(substituteFrom.map(reference => valuesOf(reference, dataIn)))
  const entries = [...sources, substitute].flatMap(Object.entries<string>)
  return {
    values: new Map(entries.map(([name, value]) => [name, value.replaceAll('\n', '')])),
    ofSecrets: new Set(
      sources.flatMap((values, at) => (substituteFrom[at]!.kind === 'Secret' ? Object.keys(values) : [])),
    ),
  }
}

type Values = Readonly<Record<string, string>>
type Holder = KubernetesObject & { readonly data?: Values }

const valuesOf = async (
  reference: SubstituteReference,
  dataIn: (reference: SubstituteReference) => Promise<Values | undefined>,
): Promise<Values> => {
  const { kind, name, optional } = reference
  const data = await dataIn(reference)
  if (!data && !optional)
    throw new Error(`substitute from '${kind}/${name}' error: ${kind.toLowerCase()}s "${name}" not found`)
  return data ?? {}
}

const decode = (value: string): string => Buffer.from(value, 'base64').toString()
