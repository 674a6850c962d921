import { masking, secretValues, textsIn } from '../../clusters/client/mask-secret.ts'
import { readYaml } from '../../engines/helm/read-yaml.ts'
import { type ReferredValues, releaseValues } from '../../engines/helm/release-values.ts'
import { fromJson } from '../../engines/template/values/from-json.ts'
import type { ValueMap } from '../../engines/template/values/value.ts'
import type { HelmRelease, ValuesReference } from '../../foundations/kinds/helm-release.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { References } from '../../hub/references/references.ts'
import type { Pass } from '../runtime/reconciler.ts'
import { configDataOf } from '../source-artifact/pinned-artifact.ts'
import { namespaceOf } from './names.ts'

/**
 * The values of a HelmRelease: those of its references, overridden by its own (HR-026 to HR-031). Notes which of them are of Secrets. Throws Error with
 * helm-controller's message.
 */
export const composeValues = async (
  release: HelmRelease,
  references: References,
  note: Pass<HelmRelease>['note'] = () => {},
): Promise<ValueMap> => {
  const inline = fromJson(release.spec.values ?? {}, { integers: 'float64' }) as ValueMap
  const referred: ReferredValues[] = []
  const dataIn = dataReader(release, references)
  for (const reference of release.spec.valuesFrom ?? []) {
    const content = await read(release, reference, dataIn)
    if (content === undefined) continue
    const { targetPath, literal } = reference
    const entry = { content, ...(targetPath && { targetPath }), ...(literal && { literal }) }
    referred.push(entry)
    if (reference.kind === 'Secret') note(masking(() => secretValues([], textsOf(content))))
    // Composed after each reference, so that an error names its reference.
    try {
      releaseValues(referred, inline)
    } catch (error) {
      throw problem(release, reference, errorMessage(error))
    }
  }
  return releaseValues(referred, inline)
}

/** A content as a whole, and what is in it. */
const textsOf = (content: string): readonly string[] => {
  try {
    return [content, content.trim(), ...textsIn(readYaml(content))]
  } catch {
    return [content, content.trim()]
  }
}

const keyOf = ({ valuesKey }: ValuesReference): string => valuesKey || 'values.yaml'

/** Undefined if an optional reference is missing. */
const read = async (
  release: HelmRelease,
  reference: ValuesReference,
  dataIn: ReturnType<typeof dataReader>,
): Promise<string | undefined> => {
  const data = await dataIn(reference)
  const found = data?.[keyOf(reference)]
  if (found !== undefined || reference.optional) return found
  const plural = reference.kind === 'Secret' ? 'secrets' : 'configmaps'
  throw problem(release, reference, data ? 'key not found' : `${plural} "${reference.name}" not found`)
}

const dataReader = (release: HelmRelease, references: References) => {
  const configData = configDataOf(release, references)
  return async ({ kind, name }: ValuesReference): Promise<Readonly<Record<string, string>> | undefined> => {
    if (kind !== 'Secret') return configData(name)
    const secret = await references.localSecret(release, name)
    return secret && Object.fromEntries([...secret.data].map(([key, bytes]) => [key, bytes.toString()]))
  }
}

const problem = (release: HelmRelease, reference: ValuesReference, why: string): Error => {
  const { kind, name, optional } = reference
  const what = `could not resolve${optional ? ' optional' : ''} ${kind} chart values reference`
  return new Error(`${what} '${namespaceOf(release)}/${name}' with key '${keyOf(reference)}': ${why}`)
}
