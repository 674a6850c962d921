/** Units that must be ready first, also of other kinds and on other clusters than the one that waits: an annotation, so that nothing in Flux's objects changes. */
import type { KubernetesObject, ObjectRef } from './object.ts'
import { helmGroup, kustomizeGroup, type Unchecked } from './references.ts'
import { type FieldError, invalid } from './schema/field-error.ts'

/** On a unit: `KIND/[NAMESPACE/]NAME[@[NAMESPACE/]CLUSTER]`, several separated by commas. */
export const dependsOnAnnotation = 'keelson.dev/depends-on'

const groups = {
  Kustomization: kustomizeGroup,
  HelmRelease: helmGroup,
  ResourceSet: 'fluxcd.controlplane.io',
} as const

/** A unit that must be ready at its newest revision. */
export interface UnitDependency {
  readonly ref: ObjectRef
  /** The Cluster that it must apply to. */
  readonly cluster?: { readonly namespace: string; readonly name: string }
}

const form =
  /^(Kustomization|HelmRelease|ResourceSet)\/(?:([a-z0-9-]+)\/)?([a-z0-9][a-z0-9.-]*)(?:@(?:([a-z0-9-]+)\/)?([a-z0-9][a-z0-9.-]*))?$/

/** What the annotation of a unit names, and the parts of it that can't be understood. Namespaces default to the unit's own. */
export const unitDependencies = ({
  metadata,
}: Unchecked<Pick<KubernetesObject, 'metadata'>>): {
  readonly dependencies: readonly UnitDependency[]
  readonly invalid: readonly string[]
} => {
  const own = metadata?.namespace ?? ''
  const parts = (metadata?.annotations?.[dependsOnAnnotation] ?? '')
    .split(',')
    .map(part => part.trim())
    .filter(part => part !== '')
    .map(text => ({ text, found: form.exec(text) }))
  return {
    dependencies: parts.flatMap(({ found }) => {
      if (!found) return []
      const [, kind = '', namespace = own, name = '', place = own, cluster] = found
      const ref = { group: groups[kind as keyof typeof groups], kind, namespace, name }
      return { ref, ...(cluster !== undefined && { cluster: { namespace: place, name: cluster } }) }
    }),
    invalid: parts.filter(({ found }) => !found).map(({ text }) => text),
  }
}

/** For `references` of a kind. */
export const dependencyRefs = (object: Unchecked<Pick<KubernetesObject, 'metadata'>>): readonly ObjectRef[] =>
  unitDependencies(object).dependencies.map(({ ref }) => ref)

/** Validation of the annotation. */
export const checkDependsOn = (object: KubernetesObject): FieldError[] =>
  unitDependencies(object).invalid.map(text =>
    invalid(
      `metadata.annotations[${dependsOnAnnotation}]`,
      text,
      'must be KIND/[NAMESPACE/]NAME[@[NAMESPACE/]CLUSTER] of a Kustomization, HelmRelease or ResourceSet',
    ),
  )
