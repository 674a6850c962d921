/** The cluster that a Flux object without a kubeconfig applies to, and where that cluster's Flux objects are on the hub. */
import type { KubernetesObject } from '../kinds/object.ts'
import {
  describeTarget,
  namedTarget,
  parseTarget,
  type TargetReference,
  targetAnnotation,
} from '../kinds/target-reference.ts'

/** On a Namespace with a target: the namespace on the cluster that it represents, if that has another name. */
export const targetNamespaceAnnotation = 'keelson.dev/target-namespace'

/** The cluster that an object inherits, or passes on. */
export interface InheritedTarget {
  readonly reference: TargetReference
  /** Who controls it: anyone who may write Namespaces, or anyone who may write the object. */
  readonly setOn: 'Namespace' | 'object'
  /** The object's namespace on the cluster. */
  readonly namespace: string
  /** The hub's prefix for the names of the cluster's namespaces. */
  readonly prefix: string
}

/** An annotation that can't be parsed; the message names the object and the annotation. */
export class TargetError extends Error {}

/** The target that a Namespace of the hub sets for the objects in it. Fails with a TargetError. */
export const targetOfNamespace = (namespace: KubernetesObject | undefined): TargetReference | undefined => {
  const text = namespace?.metadata.annotations?.[targetAnnotation]
  return text === undefined
    ? undefined
    : parsed(text, `Namespace ${namespace!.metadata.name}`, namespace!.metadata.name)
}

/**
 * The target that an object inherits from its Namespace, or sets itself: then only from its own namespace, as in spec.kubeConfig. Undefined
 * if neither sets one. Fails with a TargetError.
 */
export const inheritedTarget = (
  object: KubernetesObject,
  namespace: KubernetesObject | undefined,
): InheritedTarget | undefined => {
  const { kind, metadata } = object
  const own = metadata.namespace ?? ''
  const annotation = metadata.annotations?.[targetAnnotation]
  const mapping = namespaceMapping(namespace, own)
  if (annotation === undefined) {
    const reference = targetOfNamespace(namespace)
    return reference && { reference, setOn: 'Namespace', ...mapping }
  }
  const reference = parsed(annotation, `${kind}/${own}/${metadata.name}`, own)
  if (reference.namespace !== own)
    throw new TargetError(
      `annotation ${targetAnnotation} of ${kind}/${own}/${metadata.name}: ${describeTarget(reference)} is in another namespace; only a Namespace may name that`,
    )
  return { reference, setOn: 'object', ...mapping }
}

/**
 * The access that a unit or a Cluster uses: its own, or an inherited one. Undefined for the hub itself, and where
 * annotations can't be parsed: such an object applies to no cluster.
 */
export const accessOf = (
  object: KubernetesObject,
  namespace: KubernetesObject | undefined,
): TargetReference | undefined => {
  try {
    return namedTarget(object) ?? inheritedTarget(object, namespace)?.reference
  } catch (error) {
    if (error instanceof TargetError) return undefined
    throw error
  }
}

/**
 * A namespace has different names on the cluster and on the hub: the difference is a prefix, which applies to all other
 * namespaces too.
 */
const namespaceMapping = (
  namespace: KubernetesObject | undefined,
  own: string,
): Pick<InheritedTarget, 'namespace' | 'prefix'> => {
  const onTarget = namespace?.metadata.annotations?.[targetNamespaceAnnotation] ?? own
  if (onTarget === '' || !own.endsWith(onTarget))
    throw new TargetError(
      `annotation ${targetNamespaceAnnotation} of Namespace ${own}: the name of the Namespace must end with '${onTarget}'`,
    )
  return { namespace: onTarget, prefix: own.slice(0, own.length - onTarget.length) }
}

const parsed = (text: string, owner: string, ownNamespace: string): TargetReference => {
  const reference = parseTarget(text, ownNamespace)
  if (reference) return reference
  throw new TargetError(
    `annotation ${targetAnnotation} of ${owner}: '${text}' is not [KIND/][NAMESPACE/]NAME of a Secret or ConfigMap`,
  )
}
