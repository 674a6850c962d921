import { useCallback, useEffect, useMemo, useRef, useState } from 'preact/hooks'
import { HubUnreachable } from '../hub-client/hub-api.ts'
import { withQuery } from '../hub-client/with-query.ts'
import { followActivity } from './api/activity.ts'
import { browserApi, logOut, readSession, type SessionInfo } from './api/browser-api.ts'
import { places } from './model/places.ts'
import type { Route } from './model/route.ts'
import { AuditPage } from './pages/audit.tsx'
import { ClustersPage } from './pages/clusters.tsx'
import { FleetPage } from './pages/fleet.tsx'
import { LoginPage } from './pages/login.tsx'
import { MomentPage } from './pages/moment.tsx'
import { ObjectPage } from './pages/object.tsx'
import { PlanPage } from './pages/plan.tsx'
import { PlansPage } from './pages/plans.tsx'
import { ReceiversPage } from './pages/receivers.tsx'
import { RolloutPage } from './pages/rollout.tsx'
import { RolloutsPage } from './pages/rollouts.tsx'
import { RunPage } from './pages/run.tsx'
import { RunsPage } from './pages/runs.tsx'
import { SearchPage } from './pages/search.tsx'
import { SourcesPage } from './pages/sources.tsx'
import { UnitsPage } from './pages/units.tsx'
import { NavigationProvider, useAddress, useNavigation } from './parts/navigation.tsx'
import { Empty, Failure, Skeleton } from './parts/notices.tsx'
import { PlaceList } from './parts/place-list.tsx'
import { ConsoleProvider } from './parts/scope.tsx'
import { KeyHelp, useGlobalShortcuts } from './parts/shortcuts.tsx'

/** Who is logged in: not known yet, nobody, or somebody. */
type Who = SessionInfo | 'nobody' | undefined

/** The console: the login, or the frame with the page that the address names. */
export const App = () => {
  const navigation = useAddress()
  const [who, setWho] = useState<Who>()
  const [error, setError] = useState<Error>()
  const identify = useCallback(() => {
    readSession(fetch).then(
      session => {
        setError(undefined)
        setWho(session ?? 'nobody')
      },
      (failure: Error) => {
        setError(failure)
        if (failure instanceof HubUnreachable) setTimeout(identify, 2_000)
      },
    )
  }, [])
  const isLogin = navigation.route.page === 'login'
  useEffect(() => {
    if (!isLogin) identify()
  }, [isLogin])
  const logIn = () => {
    navigation.go('/', 'replace')
    setWho(undefined)
    identify()
  }
  if (isLogin || who === 'nobody') return <LoginPage onLoggedIn={logIn} />
  if (who === undefined) return <main class="login">{error ? <Failure error={error} /> : <Skeleton lines={3} />}</main>
  return (
    <NavigationProvider value={navigation}>
      <Frame session={who} onLoggedOut={() => setWho('nobody')} />
    </NavigationProvider>
  )
}

interface FrameProps {
  readonly session: SessionInfo
  readonly onLoggedOut: () => void
}

const Frame = ({ session, onLoggedOut }: FrameProps) => {
  const { route, query, go, here } = useNavigation()
  const [said, setSaid] = useState('')
  const search = useRef<HTMLInputElement>(null)
  const namespace = query.namespace || undefined
  const quietMs = useMemo(() => followActivity(document), [])
  const api = useMemo(() => browserApi(session, { send: fetch.bind(window), quietMs, onLoggedOut }), [session])
  const announce = useCallback((text: string) => setSaid(text), [])
  useEffect(() => {
    const timer = said ? setTimeout(() => setSaid(''), 6_000) : undefined
    return () => clearTimeout(timer)
  }, [said])
  useEffect(() => {
    document.title = `${titleOf(route)} · Keelson`
  }, [route])
  const focusSearch = useCallback(() => search.current?.focus(), [])
  const { isHelpOpen, closeHelp } = useGlobalShortcuts(focusSearch)
  const current = useMemo(() => ({ api, namespace, announce }), [api, namespace, announce])
  const searchAll = (event: Event) => {
    event.preventDefault()
    go(withQuery('/search', { q: search.current?.value.trim(), namespace }))
    search.current?.blur()
  }
  const leave = () => void logOut(fetch).then(onLoggedOut, (error: Error) => announce(error.message))
  return (
    <ConsoleProvider value={current}>
      <a class="skip" href="#content">
        Skip to content
      </a>
      <div class="frame">
        <header>
          <a class="brand" href="/">
            Keelson <small>{location.hostname}</small>
          </a>
          <search class="search">
            <form onSubmit={searchAll}>
              <input ref={search} type="search" aria-label="Search everything" placeholder="Search everything" />
              <kbd>/</kbd>
            </form>
          </search>
          <label class="scope">
            <span class="hidden">Namespace</span>
            <input
              value={namespace ?? ''}
              placeholder="All namespaces"
              spellcheck={false}
              onChange={event => go(here({ namespace: event.currentTarget.value.trim(), page: undefined }))}
            />
          </label>
          <div class="me">
            <span class="cut" title={session.user.groups.join(', ')}>
              {session.user.name}
            </span>
            <button type="button" class="plain" title={`You are ${session.user.name}`} onClick={leave}>
              Log out
            </button>
          </div>
        </header>
        <PlaceList />
        <main id="content" tabIndex={-1}>
          <Page route={route} />
        </main>
      </div>
      <div class="said" role="status" aria-live="polite">
        {said && <p>{said}</p>}
      </div>
      {isHelpOpen && <KeyHelp onClose={closeHelp} />}
    </ConsoleProvider>
  )
}

const titleOf = (route: Route): string => {
  if ('name' in route) return route.name
  if (route.page === 'search') return 'Search'
  if (route.page === 'moment') return 'What happened'
  return places.find(({ id }) => id === route.page)?.text ?? 'Not found'
}

const Page = ({ route }: { readonly route: Route }) => {
  switch (route.page) {
    case 'fleet':
      return <FleetPage />
    case 'units':
      return <UnitsPage />
    case 'clusters':
      return <ClustersPage />
    case 'runs':
      return <RunsPage />
    case 'audit':
      return <AuditPage />
    case 'moment':
      return <MomentPage />
    case 'plans':
      return <PlansPage />
    case 'rollouts':
      return <RolloutsPage />
    case 'sources':
      return <SourcesPage />
    case 'receivers':
      return <ReceiversPage />
    case 'search':
      return <SearchPage />
    case 'run':
      return <RunPage namespace={route.namespace} name={route.name} />
    case 'object':
      if (route.kind === 'Plan') return <PlanPage {...route} />
      return route.kind === 'Rollout' ? <RolloutPage {...route} /> : <ObjectPage {...route} />
    default:
      return (
        <Empty title="There is no such page" isPage>
          <p>
            <a href="/">Back to the fleet</a>
          </p>
        </Empty>
      )
  }
}
