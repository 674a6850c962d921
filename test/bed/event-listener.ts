import { jsonServer } from './json-server.ts'

/** Who is told of events, on loopback: the address of a Provider of the type `generic`, and what it has been sent, in order. */
export const eventListener = async <Told>(): Promise<{ readonly address: string; readonly told: readonly Told[] }> => {
  const told: Told[] = []
  const { url } = await jsonServer(({ body }) => {
    told.push(JSON.parse(body))
    return {}
  })
  return { address: `${url}/events`, told }
}
