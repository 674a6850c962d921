/** Handles requests below a path: webhooks, artifacts, the sample's git repository. */
export interface EdgeRoute {
  /** `/hook` matches `/hook/...`. */
  readonly prefix: string
  /** `path` is the rest after the prefix, with its leading slash; `remote` is the address that the request comes from. */
  handle(request: Request, path: string, remote?: string): Promise<Response>
}

/** The hub's endpoints besides its Kubernetes API; routes may be added after the listener has opened. */
export interface Edge {
  add(route: EdgeRoute): void
  handle(request: Request, remote?: string): Promise<Response>
}

/** The first route whose prefix matches handles a request; others are 404. */
export const edgeOf = (routes: readonly EdgeRoute[]): Edge => {
  const known = [...routes]
  return {
    add: route => known.push(route),
    handle: async (request, remote) => {
      const { pathname } = new URL(request.url)
      const route = known.find(({ prefix }) => pathname.startsWith(`${prefix}/`))
      return route
        ? route.handle(request, pathname.slice(route.prefix.length), remote)
        : new Response('404 page not found\n', { status: 404 })
    },
  }
}
