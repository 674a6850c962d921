import { partitionsOf, sharedPartitions } from '../lib/platform/adapters/aws/table-shape.ts'

/** Partition keys of the table, with `*` for any text: `dynamodb:LeadingKeys`. */
export interface ItemAccess {
  readonly reads: readonly string[]
  /** What is written is also read. */
  readonly writes: readonly string[]
}

const [source, kustomize, helm] = ['source', 'kustomize', 'helm'].map(name => `*.${name}.toolkit.fluxcd.io`)
const [imageUpdates, sourceExtensions] = ['*.image.toolkit.fluxcd.io', '*.source.extensions.fluxcd.io']
const receivers = 'Receiver.notification.toolkit.fluxcd.io'

/**
 * Kinds are looked up to know what there is, and a Namespace for what it says of its objects. A list or a watch also brings the log of
 * its kind up to date, which is why `change` and `versions` are written where heads are only read.
 */
const known = ['CustomResourceDefinition.apiextensions.k8s.io', 'Namespace.']

const accessTo = (readKinds: readonly string[], writtenKinds: readonly string[]): ItemAccess => {
  const read = [...known, ...readKinds].map(partitionsOf)
  const written = writtenKinds.map(partitionsOf)
  return {
    reads: [sharedPartitions.format, sharedPartitions.referrers, ...read.map(({ heads }) => heads)],
    writes: [
      ...written.map(({ heads }) => heads),
      ...[...read, ...written].flatMap(({ changes, versions }) => [changes, versions]),
      sharedPartitions.overflow,
      sharedPartitions.referrers,
    ],
  }
}

/** Answers whoever knows a path: reads Receivers and what proves their requests, and annotates what they name. No Secrets, no roles. */
export const webhookItems: ItemAccess = accessTo(
  [receivers, 'PathSalt.webhook.keelson.dev', 'ReceiverSecret.webhook.keelson.dev'],
  [source!, kustomize!, helm!, imageUpdates!, sourceExtensions!, 'Delivery.webhook.keelson.dev'],
)

/** Annotates sources. */
export const pushEventItems: ItemAccess = accessTo([], [source!])
