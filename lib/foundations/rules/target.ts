/** Which cluster a Flux object without a kubeconfig of its own applies to, and where that cluster's Flux objects lie on the hub. */
import type { KubernetesObject } from '../kinds/object.ts'
import { describeTarget, parseTarget, type TargetReference, targetAnnotation } from '../kinds/target-reference.ts'

/** On a Namespace with a target: the cluster's namespace that it stands for, where that has another name. */
export const targetNamespaceAnnotation = 'keelson.dev/target-namespace'

/** The cluster that an object has inherited, or has been given to pass on. */
export interface InheritedTarget {
  readonly reference: TargetReference
  /** Who answers for it: whoever may write Namespaces, or whoever may write the object. */
  readonly setOn: 'Namespace' | 'object'
  /** The object's namespace as the cluster knows it. */
  readonly namespace: string
  /** What the hub puts before the names of the cluster's namespaces. */
  readonly prefix: string
}

/** An annotation that can't be understood; the message names object and annotation. */
export class TargetError extends Error {}

/** The target that a Namespace of the hub gives to what lies in it. Fails with a TargetError. */
export const targetOfNamespace = (namespace: KubernetesObject | undefined): TargetReference | undefined => {
  const text = namespace?.metadata.annotations?.[targetAnnotation]
  return text === undefined
    ? undefined
    : parsed(text, `Namespace ${namespace!.metadata.name}`, namespace!.metadata.name)
}

/**
 * What an object inherits from its Namespace, or says itself: then of its own namespace only, as in spec.kubeConfig. Undefined where
 * neither says anything. Fails with a TargetError.
 */
export const inheritedTarget = (
  object: KubernetesObject,
  namespace: KubernetesObject | undefined,
): InheritedTarget | undefined => {
  const { kind, metadata } = object
  const own = metadata.namespace ?? ''
  const said = metadata.annotations?.[targetAnnotation]
  const place = placeOf(namespace, own)
  if (said === undefined) {
    const reference = targetOfNamespace(namespace)
    return reference && { reference, setOn: 'Namespace', ...place }
  }
  const reference = parsed(said, `${kind}/${own}/${metadata.name}`, own)
  if (reference.namespace !== own)
    throw new TargetError(
      `annotation ${targetAnnotation} of ${kind}/${own}/${metadata.name}: ${describeTarget(reference)} is in another namespace; only a Namespace may name that`,
    )
  return { reference, setOn: 'object', ...place }
}

/** The names of a namespace on the cluster and on the hub differ by what comes before, so that one tells the others. */
const placeOf = (
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

const parsed = (text: string, whose: string, ownNamespace: string): TargetReference => {
  const reference = parseTarget(text, ownNamespace)
  if (reference) return reference
  throw new TargetError(
    `annotation ${targetAnnotation} of ${whose}: '${text}' is not [KIND/][NAMESPACE/]NAME of a Secret or ConfigMap`,
  )
}
