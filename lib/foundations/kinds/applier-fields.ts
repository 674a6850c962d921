/** Fields that the kinds that apply objects share: the cluster, patches, health checks. */
import { localReference } from './flux.ts'
import { list, object, optional, text } from './schema/schema.ts'

const selector = object('Objects to patch. Defaults to all.', {
  group: optional(text('API group to match.')),
  version: optional(text('API version to match.')),
  kind: optional(text('Kind to match.')),
  name: optional(text('Name to match.')),
  namespace: optional(text('Namespace to match.')),
  labelSelector: optional(text('Label selector to match.')),
  annotationSelector: optional(text('Selector for annotations, in the syntax of label selectors.')),
})

export const patch = object('A patch, and what it is applied to.', {
  patch: text('Strategic merge patch (an object) or JSON 6902 patch (a list of operations), as YAML.'),
  target: optional(selector),
})

export const image = object('Replaces the name, tag or digest of an image.', {
  name: text('Image to replace, without tag.'),
  newName: optional(text('New name of the image.')),
  newTag: optional(text('New tag of the image.')),
  digest: optional(text('Digest that replaces the tag; takes precedence over newTag.')),
})

/** A dependency on another object of the same kind. */
export const dependencyOn = (kind: string) =>
  object(`A ${kind} that must be ready first.`, {
    name: text(`Name of the ${kind}.`),
    namespace: optional(text(`Namespace of the ${kind}; that of this object when empty.`)),
    readyExpr: optional(
      text('CEL expression over `self` and `dep` that is true if it is ready. Replaces the default check.'),
    ),
  })

export const healthCheckExpression = object('Health check expressions for objects of a kind.', {
  apiVersion: text('API version of the kind.'),
  kind: optional(text('The kind.')),
  current: text('CEL expression: it has reached the desired state.'),
  inProgress: optional(text('CEL expression: it has not reached the desired state yet.')),
  failed: optional(text('CEL expression: it has failed to reach the desired state.')),
})

export const ignoreRule = object('Fields that are ignored on the cluster.', {
  paths: list('JSON pointers of the fields.', text('A JSON pointer (RFC 6901).')),
  target: optional(selector),
})

export const kubeConfig = object(
  'The cluster to apply to. Defaults to the hub itself.',
  {
    secretRef: optional(
      object('Secret that holds a kubeconfig.', {
        name: text('Name of the Secret.'),
        key: optional(text('Key in the Secret. Defaults to `value` or `value.yaml`.')),
      }),
    ),
    configMapRef: optional(
      localReference(
        'ConfigMap with access to the cluster without a secret: provider, cluster, address, ca.crt, audiences, serviceAccountName.',
      ),
    ),
  },
  {
    'x-kubernetes-validations': [
      {
        message: 'exactly one of spec.kubeConfig.configMapRef or spec.kubeConfig.secretRef must be specified',
        rule: 'has(self.configMapRef) || has(self.secretRef)',
      },
      {
        message: 'exactly one of spec.kubeConfig.configMapRef or spec.kubeConfig.secretRef must be specified',
        rule: '!has(self.configMapRef) || !has(self.secretRef)',
      },
    ],
  },
)
