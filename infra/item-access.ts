import { deliveryPartitions, partitionsOf, sharedPartitions } from '../lib/platform/adapters/aws/table-shape.ts'

/** Patterns of partition keys, for the condition `dynamodb:LeadingKeys`; `*` matches any text. */
export interface ItemAccess {
  readonly reads: readonly string[]
  /** Includes the right to read. */
  readonly writes: readonly string[]
}

const [source, kustomize, helm] = ['source', 'kustomize', 'helm'].map(name => `*.${name}.toolkit.fluxcd.io`)
const [imageUpdates, sourceExtensions] = ['*.image.toolkit.fluxcd.io', '*.source.extensions.fluxcd.io']
const receivers = 'Receiver.notification.toolkit.fluxcd.io'

/**
 * Kinds that every function reads: CustomResourceDefinitions to find kinds, and Namespaces for their annotations. A list or a watch also
 * compacts the change log of its kind, which is why `change` and `versions` are writable where heads are only read.
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

const triggering = accessTo(
  [receivers, 'PathSalt.webhook.keelson.dev', 'ReceiverSecret.webhook.keelson.dev', 'ResourceQuota.'],
  [source!, kustomize!, helm!, imageUpdates!, sourceExtensions!, 'PullRequest.fleet.keelson.dev'],
)

/**
 * For webhooks: reads Receivers and the secrets that verify their requests, annotates the objects that they name, writes PullRequests, and records the
 * calls. No Secrets, no roles. A create reads ResourceQuotas; it may not charge one.
 */
export const webhookItems: ItemAccess = {
  ...triggering,
  writes: [...triggering.writes, ...Object.values(deliveryPartitions).map(prefix => `${prefix}*`)],
}

/** For events of AWS: annotates sources and ImageRepositories. */
export const pushEventItems: ItemAccess = accessTo([], [source!, imageUpdates!])

const anyKind = partitionsOf('*')

/** For what is on clusters: reads all objects, for the access to clusters, roles, and units that apply to the hub itself. Writes none. */
export const liveItems: ItemAccess = {
  reads: [sharedPartitions.format, anyKind.heads],
  writes: [anyKind.changes, anyKind.versions],
}
