/** Outages of clusters: their reason, their text, and how rooms without the error recognize one in the text of a condition or event. */

/** Keelson's own reason for a cluster that does not respond. */
export const clusterUnreachable = 'ClusterUnreachable'

/** An outage of a cluster: its address, and the error of the failed connection. Shared by all requests that it affects. */
export interface Outage {
  /** The API server's address, without credentials. */
  readonly server: string
  readonly problem: string
}

/** The one text of an outage, from which `serverOfOutage` reads the server in messages of conditions and events. */
export const describeOutage = ({ server, problem }: Outage): string => `cluster ${server} is unreachable: ${problem}`

/** The server of the outage that a message describes, also inside of a longer one; undefined for other messages. */
export const serverOfOutage = (message: string): string | undefined =>
  /\bcluster (\S+) is unreachable: /.exec(message)?.[1]
