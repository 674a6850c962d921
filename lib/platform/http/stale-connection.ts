/** Whether a request failed because a connection that was kept from an earlier one had been closed meanwhile: another may work. */
export const isStaleConnection = (error: unknown): boolean => {
  const { code } = ((error as Error).cause ?? {}) as { readonly code?: unknown }
  return typeof code === 'string' && (staleCodes.has(code) || code.startsWith('ERR_HTTP2_'))
}

const staleCodes: ReadonlySet<string> = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET', 'UND_ERR_INFO'])
