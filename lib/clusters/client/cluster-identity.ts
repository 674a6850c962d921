/** What tells one cluster from another that is reached in the same way. */
export interface ClusterIdentity {
  /** UID of the namespace `kube-system`; absent when the kubeconfig's account may not read it, or there is none. */
  readonly uid?: string
  /** Digest of the server's address and certificate authority: all that is known where there is no UID. */
  readonly access: string
}
