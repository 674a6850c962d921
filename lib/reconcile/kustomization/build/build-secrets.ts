import type { Disclosure } from '../../../clusters/apply/field-diff.ts'
import { isSecret, type Masking, masking, secretValues, textsIn } from '../../../clusters/client/mask-secret.ts'
import { takesVariables } from '../../../engines/substitute/substitute-variables.ts'
import { groupOf, type KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { Manifest } from './build-cache.ts'
import { noVariables, type Variables } from './load-variables.ts'

/**
 * Which values of a build may be shown: none of an object that was decrypted or that uses a variable of a Secret, even if an expression
 * transforms the value; in other objects, none that a Secret of the build contains, or that a variable takes from one. `substituted` is the build
 * with the variables replaced, in the same order.
 */
export const buildSecrets = (
  built: readonly Manifest[],
  variables: Variables = noVariables,
  substituted: readonly Manifest[] = built,
): Disclosure & Masking => {
  const usesSecret = ({ object, yaml }: Manifest): boolean =>
    takesVariables(object) && [...variables.ofSecrets].some(name => yaml.includes(name))
  const isHidden = (manifest: Manifest) => manifest.isDecrypted || usesSecret(manifest)
  const transformsSecret = ({ yaml }: Manifest): boolean =>
    [...variables.ofSecrets].some(name => new RegExp(`\\$\\{\\W*${name}[^}\\w]`).test(yaml))
  const hidden = new Set(built.filter(isHidden).map(({ object }) => keyWithoutNamespace(object)))
  /** Values that can't be recognized otherwise: all that was decrypted, and what expressions have made of variables. */
  const derivedFrom = (manifest: Manifest, at: number): readonly string[] => {
    const { object } = substituted[at] ?? manifest
    if (isSecret(object) || !(manifest.isDecrypted || (usesSecret(manifest) && transformsSecret(manifest)))) return []
    const open = new Set(manifest.isDecrypted ? [] : textsIn(manifest.object))
    const {
      apiVersion,
      kind,
      metadata: { name, namespace, ...metadata },
      ...fields
    } = object
    return textsIn([metadata, fields]).filter(text => !open.has(text))
  }
  return {
    isHidden: object => hidden.has(keyWithoutNamespace(object)),
    ...masking(() =>
      secretValues(
        built.map(({ object }) => object),
        [...[...variables.ofSecrets].map(name => variables.values.get(name) ?? ''), ...built.flatMap(derivedFrom)],
      ),
    ),
  }
}

/** Without the namespace, which may be added or removed before an object is applied. */
export const keyWithoutNamespace = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${groupOf(apiVersion)}/${kind}/${metadata.name}`
