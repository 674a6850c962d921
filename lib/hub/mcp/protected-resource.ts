/**
 * Where a client of `/mcp` finds out who issues tokens for it: the metadata of a protected resource (RFC 9728), as MCP's authorization has it. Public: issuers
 * are no secret, and a client that has no token yet must be able to read them.
 */

const path = '/.well-known/oauth-protected-resource/mcp'

/** Every issuer of OpenID Connect knows these. */
const scopes = ['openid', 'profile', 'email']

/** URLs of the issuers whose tokens the hub accepts at the moment. */
export type Issuers = () => readonly string[] | Promise<readonly string[]>

/** The metadata as JSON, if a request is for them; undefined for other requests, and for all while the hub has no issuers. */
export const metadataFor = async (
  { method }: Request,
  { origin, pathname }: URL,
  issuers: Issuers,
): Promise<Response | undefined> => {
  if (pathname !== path || (method !== 'GET' && method !== 'HEAD')) return undefined
  const servers = await issuers()
  if (servers.length === 0) return undefined
  return Response.json(
    {
      resource: `${origin}/mcp`,
      resource_name: 'Keelson',
      authorization_servers: servers,
      scopes_supported: scopes,
      bearer_methods_supported: ['header'],
    },
    { headers: { 'cache-control': 'no-store' } },
  )
}

/** The challenge of a response with the status 401: it leads to the metadata, if there are any. */
export const challengeOf = async ({ origin }: URL, issuers: Issuers): Promise<string> =>
  (await issuers()).length === 0 ? 'Bearer' : `Bearer resource_metadata="${origin}${path}"`
