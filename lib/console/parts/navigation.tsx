import { createContext } from 'preact'
import { useContext, useEffect, useMemo, useState } from 'preact/hooks'
import { withQuery } from '../../hub-client/with-query.ts'
import { type Query, type Route, routeOf } from '../model/route.ts'

/** Where the person is, and how to go elsewhere. */
export interface Navigation {
  readonly route: Route
  readonly pathname: string
  readonly query: Query
  go(href: string, how?: 'push' | 'replace'): void
  /** The address of this page with other terms; an empty one is left out. */
  here(changes: Readonly<Record<string, string | undefined>>): string
}

const Place = createContext<Navigation | undefined>(undefined)

export const NavigationProvider = Place.Provider

/** Where the person is. Only within a NavigationProvider. */
export const useNavigation = (): Navigation => useContext(Place)!

/** Scrolls what is current into the middle of a list of links that may be wider than the window; the page stays where it is. */
export const useCurrentInView = (selector: string, current: string): void =>
  useEffect(() => {
    const list = document.querySelector(selector)
    const link = list?.querySelector('[aria-current]')
    if (!list || !link) return
    const [outer, inner] = [list.getBoundingClientRect(), link.getBoundingClientRect()]
    list.scrollLeft += inner.left + inner.width / 2 - (outer.left + outer.width / 2)
  }, [selector, current])

/** Follows the address bar. Links to pages of the console do not load the document anew. */
export const useAddress = (): Navigation => {
  const [address, setAddress] = useState(() => location.pathname + location.search)
  const go = (href: string, how: 'push' | 'replace' = 'push') => {
    history[how === 'push' ? 'pushState' : 'replaceState'](null, '', href)
    setAddress(location.pathname + location.search)
    if (how === 'push') {
      scrollTo(0, 0)
      document.querySelector<HTMLElement>('main')?.focus({ preventScroll: true })
    }
  }
  useEffect(() => {
    const onPop = () => setAddress(location.pathname + location.search)
    const onClick = (event: MouseEvent) => {
      const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey
      const link = event.target instanceof Element ? event.target.closest('a') : null
      if (!isPlain || !link || event.defaultPrevented || link.target || link.origin !== location.origin) return
      event.preventDefault()
      if (link.href !== location.href) go(link.pathname + link.search)
    }
    addEventListener('popstate', onPop)
    document.addEventListener('click', onClick)
    return () => {
      removeEventListener('popstate', onPop)
      document.removeEventListener('click', onClick)
    }
  }, [])
  return useMemo(() => {
    const { pathname, searchParams } = new URL(address, location.origin)
    const query = Object.fromEntries(searchParams)
    return {
      route: routeOf(pathname),
      pathname,
      query,
      go,
      here: changes => withQuery(pathname, { ...query, ...changes }),
    }
  }, [address])
}
