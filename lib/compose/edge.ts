/** Answers requests below a path: webhooks, artifacts, the sample's git repository. */
export interface EdgeRoute {
  /** `/hook` takes `/hook/...`. */
  readonly prefix: string
  /** `path` is what follows the prefix, with its slash. */
  handle(request: Request, path: string): Promise<Response>
}

/** What the hub answers outside its Kubernetes API; routes may come after the listener is open. */
export interface Edge {
  add(route: EdgeRoute): void
  handle(request: Request): Promise<Response>
}

export const edgeOf = (routes: readonly EdgeRoute[]): Edge => {
  const known = [...routes]
  return {
    add: route => known.push(route),
    handle: async request => {
      const { pathname } = new URL(request.url)
      const route = known.find(({ prefix }) => pathname.startsWith(`${prefix}/`))
      return route
        ? route.handle(request, pathname.slice(route.prefix.length))
        : new Response('404 page not found\n', { status: 404 })
    },
  }
}
