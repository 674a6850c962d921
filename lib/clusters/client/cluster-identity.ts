/** Distinguishes clusters with the same address. */
export interface ClusterIdentity {
  /** UID of the namespace `kube-system`; absent if the kubeconfig's account may not read it, or it does not exist. */
  readonly uid?: string
  /** Digest of the server's address and certificate authority: the only identity if there is no UID. */
  readonly access: string
}
