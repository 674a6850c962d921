/** Specs of sources whose artifacts are given. */
export const sourceSpecs: Readonly<Record<string, object>> = {
  GitRepository: { url: 'https://git.example.com/app', interval: '10m' },
  OCIRepository: { url: 'oci://registry.example.com/app', interval: '10m' },
  Bucket: { bucketName: 'app', endpoint: 'store.example.com', interval: '10m' },
  HelmChart: { chart: 'app', sourceRef: { kind: 'HelmRepository', name: 'app' }, interval: '10m' },
}
