import type { ComponentChildren } from 'preact'
import { ApiFailure, HubUnreachable } from '../../hub-client/hub-api.ts'
import { NamespaceNeeded } from '../../hub-client/permitted-reader.ts'
import type { Partly } from '../../hub-client/read-fleet.ts'
import type { Live } from '../api/use-live.ts'
import { useNavigation } from './navigation.tsx'

/** What stands in place of content on the first load. */
export const Skeleton = ({ lines = 6 }: { readonly lines?: number }) => (
  <div class="skeleton" role="status" aria-label="Loading">
    {Array.from({ length: lines }, (_, at) => (
      <span key={at} />
    ))}
  </div>
)

interface EmptyProps {
  readonly title: string
  /** There is nothing else on the page. */
  readonly isPage?: boolean | undefined
  readonly children?: ComponentChildren
}

/** An empty list teaches: the commands that fill it. */
export const Empty = ({ title, isPage = false, children }: EmptyProps) => (
  <div class="empty">
    {isPage ? <h1>{title}</h1> : <h2>{title}</h2>}
    {children}
  </div>
)

/** Why nothing can be shown, and what helps; `onRetry` gives it a button. */
export const Failure = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) => (
  <div class="why failing" role="alert">
    <h1>{titleOf(error)}</h1>
    <p>{error instanceof HubUnreachable ? 'It is tried again by itself.' : error.message}</p>
    {isForbidden(error) && (
      <p class="next">Ask whoever runs the hub for a role, or choose a namespace that you may see.</p>
    )}
    {onRetry && (
      <p>
        <button type="button" onClick={onRetry}>
          Try again
        </button>
      </p>
    )}
  </div>
)

/** Links to the namespaces in which the person may list what a page shows. */
const NamespaceChoice = ({
  of: { namespaces },
  isPage,
}: Pick<EmptyProps, 'isPage'> & { readonly of: NamespaceNeeded }) => {
  const { here } = useNavigation()
  return (
    <Empty title="Choose a namespace" isPage={isPage}>
      <p>You may list these in some namespaces only:</p>
      <ul>
        {namespaces.map(namespace => (
          <li key={namespace}>
            <a href={here({ namespace, continue: undefined })}>{namespace}</a>
          </li>
        ))}
      </ul>
    </Empty>
  )
}

/** Which namespace a list is of that was read for all. Nothing for other lists. */
export const Narrowed = ({ to }: { readonly to: string | undefined }) =>
  to === undefined ? null : <p class="pad quiet">{`Only of the namespace ${to}, as you may list these in no other.`}</p>

/** Whether the person lacks a right. */
export const isForbidden = (error: Error | undefined): error is ApiFailure =>
  error instanceof ApiFailure && error.status === 403

const titleOf = (error: Error): string => {
  if (error instanceof HubUnreachable) return 'The hub does not respond'
  if (isForbidden(error)) return 'You may not see this'
  if (error instanceof ApiFailure && error.status === 404) return 'There is no such object'
  return 'This could not be read'
}

/** The content of a live query: a skeleton first, a failure if there is nothing else, and the last content with a note when it is old. */
export function Loaded<T>({
  of: live,
  isPage,
  children,
}: Pick<EmptyProps, 'isPage'> & {
  readonly of: Live<T>
  readonly children: (data: T) => ComponentChildren
}) {
  const { data, error, isLive, refresh } = live
  if (data === undefined) {
    if (error instanceof NamespaceNeeded) return <NamespaceChoice of={error} isPage={isPage} />
    return error ? <Failure error={error} onRetry={refresh} /> : <Skeleton />
  }
  const isOld = error !== undefined || !isLive
  return (
    <>
      {isOld && (
        <p class="stale" role="status">
          {error && !(error instanceof HubUnreachable)
            ? error.message
            : 'The hub does not respond. This is how things were; it goes on by itself.'}
        </p>
      )}
      {children(data)}
    </>
  )
}

/** What the person may not see, as kubectl says it. */
export const Refused = ({ of: { refused } }: { readonly of: Partly }) =>
  refused.length === 0 ? null : (
    <details class="refused quiet">
      <summary>{`Not shown, as you may not list it: ${refused.length} ${refused.length === 1 ? 'kind' : 'kinds'}`}</summary>
      <ul>
        {refused.map(line => (
          <li key={line} class="break">
            {line}
          </li>
        ))}
      </ul>
    </details>
  )
