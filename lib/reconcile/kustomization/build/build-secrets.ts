import type { Disclosure } from '../../../clusters/apply/field-diff.ts'
import { maskValues, secretValues } from '../../../clusters/client/mask-secret.ts'
import { takesVariables } from '../../../engines/substitute/substitute-variables.ts'
import { groupOf, type KubernetesObject } from '../../../foundations/kinds/object.ts'
import type { Manifest } from './build-cache.ts'
import { noVariables, type Variables } from './load-variables.ts'

/**
 * What may be shown of a build. None of the values of an object that was decrypted, or that uses a variable of a Secret, even where an expression has
 * made something else of it; anywhere else, no value that a Secret of the build has, or that a variable takes from one.
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

/** Without the namespace, which an object may get or lose on its way to a cluster. */
const keyOf = ({ apiVersion, kind, metadata }: KubernetesObject): string =>
  `${groupOf(apiVersion)}/${kind}/${metadata.name}`
