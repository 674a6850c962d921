import type { Disclosure } from '../../../clusters/apply/field-diff.ts'
import { maskValues, secretValues } from '../../../clusters/client/mask-secret.ts'
import { takesVariables } from '../../../engines/substitute/substitute-variables.ts'
import { groupOf, type KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { Manifest } from './build-cache.ts'
import { noVariables, type Variables } from './load-variables.ts'

/**
 * Which values of a build may be shown: none of an object that was decrypted or that uses a variable of a Secret, even if an expression
 * transforms the value; in other objects, none that a Secret of the build contains, or that a variable takes from one.
 */
export const buildSecrets = (built: readonly Manifest[], variables: Variables = noVariables): Disclosure => {
  const usesSecret = ({ object, yaml }: Manifest): boolean =>
    takesVariables(object) && [...variables.ofSecrets].some(name => yaml.includes(name))
  const hidden = new Set(
    built.filter(manifest => manifest.isDecrypted || usesSecret(manifest)).map(({ object }) => keyOf(object)),
  )
  let values: readonly string[] | undefined
  return {
    isHidden: object => hidden.has(keyOf(object)),
    masked: text => {
      values ??= secretValues(
        built.map(({ object }) => object),
        [...variables.ofSecrets].map(name => variables.values.get(name) ?? ''),
      )
      return maskValues(values, text)
    },
  }
}

/** Without the namespace, which may be added or removed before an object is applied. */
const keyOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${groupOf(apiVersion)}/${kind}/${metadata.name}`
