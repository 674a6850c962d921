/** Metrics in Prometheus' text form. */
export interface MetricsText {
  readonly contentType: string
  text(): Promise<string>
}

/** Responds to `/metrics`, as a kube-apiserver does; undefined for other paths. */
export const metricsPage = async ({ pathname }: URL, metrics: MetricsText): Promise<Response | undefined> =>
  pathname === '/metrics'
    ? new Response(await metrics.text(), { headers: { 'content-type': metrics.contentType } })
    : undefined
