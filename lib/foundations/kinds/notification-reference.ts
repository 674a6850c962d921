/** How Alerts and Receivers refer to objects, in any namespace: one by name, or all of a kind with some labels. */
import { map, oneOf, optional, text } from './schema/schema.ts'

const kinds = [
  ...['Bucket', 'GitRepository', 'Kustomization', 'HelmRelease', 'HelmChart', 'HelmRepository', 'ImageRepository'],
  ...['ImagePolicy', 'ImageUpdateAutomation', 'OCIRepository', 'ArtifactGenerator', 'ExternalArtifact'],
] as const

export const notificationReference = {
  apiVersion: optional(text('API version of the objects.')),
  kind: oneOf('Kind of the objects.', kinds),
  name: text('Name of the object; `*` for all of the kind.', { minLength: 1, maxLength: 253 }),
  namespace: optional(
    text('Namespace of the objects. Defaults to the namespace of the referring object.', {
      minLength: 1,
      maxLength: 253,
    }),
  ),
  matchLabels: optional(map('Labels that objects must have.', text('Value of a label.'))),
}
