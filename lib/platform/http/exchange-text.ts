import type { Dispatcher } from 'undici'
import type { HttpAgent } from './guarded-agent.ts'

export interface TextResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
}

/**
 * Sends a request and returns the whole response body as text: like `agent.request`, without the cost of its streams. The agent's
 * `maxResponseBytes` limits the body. Rejects with undici's error, or with the signal's reason as soon as that aborts, even while connecting.
 */
export const exchangeText = (
  agent: HttpAgent,
  options: Dispatcher.DispatchOptions,
  signal: AbortSignal,
): Promise<TextResponse> => {
  const { promise, resolve, reject } = Promise.withResolvers<TextResponse>()
  let exchange: Dispatcher.DispatchController | undefined
  const abort = () => {
    reject(signal.reason)
    exchange?.abort(signal.reason)
  }
  const end = () => signal.removeEventListener('abort', abort)
  let status = 0
  let headers: TextResponse['headers'] = {}
  const chunks: Buffer[] = []
  signal.addEventListener('abort', abort, { once: true })
  try {
    signal.throwIfAborted()
    agent.dispatch(options, {
      onRequestStart: started => {
        exchange = started
        if (signal.aborted) started.abort(signal.reason)
      },
      onResponseStart: (_, code, fields) => {
        status = code
        headers = fields
      },
      onResponseData: (_, chunk) => void chunks.push(chunk),
      onResponseEnd: () => {
        end()
        resolve({ status, headers, body: Buffer.concat(chunks).toString('utf8') })
      },
      onResponseError: (_, error) => {
        end()
        reject(error)
      },
    })
  } catch (error) {
    end()
    reject(error)
  }
  return promise
}
