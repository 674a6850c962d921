/** Whether a request failed because the server had closed the kept connection: a retry on another one may succeed. */
export const isStaleConnection = (error: unknown): boolean => {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' && (staleCodes.has(code) || code.startsWith('ERR_HTTP2_'))
}

const staleCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_INFO'])
