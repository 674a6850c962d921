/** The files of the console, and the headers that confine them. */

/** A file as the browser receives it. */
export interface PageFile {
  readonly type: string
  readonly body: Uint8Array<ArrayBuffer>
  /** gzip of the body, for those who accept it; absent if that is no shorter. */
  readonly gzip?: Uint8Array<ArrayBuffer>
}

export interface ConsolePages {
  /** The document of all pages. */
  readonly index: PageFile
  /** Scripts and styles by their name below `/console/assets/`, which has a hash of the content. */
  readonly assets: ReadonlyMap<string, PageFile>
}

const assetsPath = '/console/assets/'

/** Nothing but the console's own files: no inline script or style, no other origin, no frame around it, no form to elsewhere. */
const contentSecurityPolicy = [
  "default-src 'none'",
  ...["script-src 'self'", "style-src 'self'", "img-src 'self'", "connect-src 'self'"],
  ...["base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
  ...["require-trusted-types-for 'script'", "trusted-types 'none'"],
].join('; ')

export const pageHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': contentSecurityPolicy,
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
}

/** Addresses of the Kubernetes API and of endpoints that programs read: no pages, whatever is accepted. */
const notPages =
  /^\/(?:apis?|openapi|openid|\.well-known|healthz|livez|readyz|version|metrics|receipts|swagger[^/]*)(?:\/|$)/

/** A page or asset of the console; undefined if the request is for something else. */
export const pageFor = (request: Request, { pathname }: URL, pages: ConsolePages): Response | undefined => {
  if (request.method !== 'GET' && request.method !== 'HEAD') return undefined
  if (pathname.startsWith(assetsPath)) {
    const file = pages.assets.get(pathname.slice(assetsPath.length))
    return file && responseOf(request, file, 'public, max-age=31536000, immutable')
  }
  const isPage = !notPages.test(pathname) && !pathname.startsWith('/console/')
  if (!isPage || !(request.headers.get('accept') ?? '').includes('text/html')) return undefined
  return responseOf(request, pages.index, 'no-cache')
}

const responseOf = (request: Request, { type, body, gzip }: PageFile, cacheControl: string): Response => {
  const packed = gzip && /\bgzip\b/.test(request.headers.get('accept-encoding') ?? '') ? gzip : undefined
  return new Response(request.method === 'HEAD' ? null : (packed ?? body), {
    headers: {
      ...pageHeaders,
      'content-type': type,
      'cache-control': cacheControl,
      vary: 'accept, accept-encoding',
      ...(packed && { 'content-encoding': 'gzip' }),
    },
  })
}
