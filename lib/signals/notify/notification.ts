/** A notification in the format of Flux's events API, as sent to generic webhooks. */
export interface Notification {
  readonly involvedObject: InvolvedObject
  readonly severity: 'info' | 'error'
  /** RFC 3339. */
  readonly timestamp: string
  readonly message: string
  readonly reason: string
  readonly metadata?: Metadata
  /** The reporting controller, as in `kustomize-controller`. */
  readonly reportingController: string
  readonly reportingInstance?: string
}

export type Metadata = Readonly<Record<string, string>>

interface InvolvedObject {
  readonly apiVersion: string
  readonly kind: string
  readonly namespace: string
  readonly name: string
  readonly uid?: string
  readonly resourceVersion?: string
}

/** `kustomization/apps.default`, Flux's title of messages. */
export const notificationTitle = ({ involvedObject: { kind, name, namespace } }: Notification): string =>
  `${kind.toLowerCase()}/${name}.${namespace}`

export const isFailure = ({ severity }: Notification): boolean => severity === 'error'

/** In progress: neither success nor failure. */
export const isProgress = ({ reason }: Notification): boolean => reason === 'Progressing'

/** `health check failed` for HealthCheckFailed. */
export const describeReason = ({ reason }: Notification): string =>
  reason
    .replace(/([\p{Lu}])(\p{Lu}\p{Ll})/gu, '$1 $2')
    .replace(/([\p{Ll}\d])(\p{Lu})/gu, '$1 $2')
    .toLowerCase()

/** The commit hash in the event's metadata. Fails if there is none. */
export const commitHash = ({ metadata = {} }: Notification): string => {
  const revision = metadata.commit ?? metadata.originRevision ?? metadata.revision
  if (!revision) throw new Error('missing revision metadata')
  const [, commit] = /(?:^|[:/@])([0-9a-f]{40}|[0-9a-f]{64})$/.exec(revision) ?? []
  if (!commit) throw new Error(`failed to extract commit hash from '${revision}' revision`)
  return commit
}

/** Formats the notification as Markdown; omits the key that only addresses a change request. */
export const toMarkdown = (notification: Notification): string => {
  const { involvedObject, message, metadata = {} } = notification
  const sign = isFailure(notification) ? '⚠️' : 'ℹ️'
  const lines = Object.keys(metadata)
    .filter(key => key !== changeRequestKey)
    .sort()
    .map(key => `* \`${key}\`: ${metadata[key]}\n`)
  const object = [involvedObject.kind, involvedObject.namespace, involvedObject.name].join('/')
  return `## Flux Status\n\n${sign} ${object}\n\n${message}\n\nMetadata:\n${lines.join('')}`
}

/** Metadata key with the pull or merge request to comment on. */
export const changeRequestKey = 'change_request'
