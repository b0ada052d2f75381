import { describe, expect, it } from "vitest";
import { messageOf } from "./fixtures.ts";

describe("the checks of addresses that are listened on", () => {
  it.each([
    {
      name: "a listener on one address and one on all",
      text: "metrics: {listen: '127.0.0.1:9002'}",
      message: 'metrics.listen: another listener has this address: extProc.listen (0.0.0.0:9002); got "127.0.0.1:9002"',
    },
    {
      name: "a listener on all addresses of both families",
      text: "mode: proxy\nproxy: {listen: '10.0.0.1:80'}\nmetrics: {listen: '[0:0::0]:80'}",
      message: 'metrics.listen: another listener has this address: proxy.listen (10.0.0.1:80); got "[0:0::0]:80"',
    },
    {
      name: "one port on two addresses",
      text: "extProc: {listen: '127.0.0.1:80'}\nhealth: {listen: '127.0.0.2:80'}\nmetrics: {listen: '[::1]:80'}",
      message: "accepted",
    },
    {
      name: "the address of a listener that no mode needs",
      text: "mode: proxy\nproxy: {listen: '0.0.0.0:9002'}",
      message: "accepted",
    },
    ...[
      ["proxy", "proxy: {listen: '127.0.0.1:8000'}", "127.0.0.1:8000"],
      ["proxy", "proxy: {listen: 'localhost:8000'}", "127.0.0.1:8000"],
      ["proxy", "proxy: {listen: '0.0.0.0:8000'}", "127.0.0.1:8000"],
      ["proxy", "proxy: {listen: '127.0.0.1:8000'}", "0.0.0.0:8000"],
      ["proxy", "proxy: {listen: '[::]:8000'}", "[::1]:8000"],
      ["proxy", "proxy: {listen: '[::]:8000'}", "127.0.0.1:8000"],
      ["proxy", "proxy: {listen: '10.0.0.1:8000'}", "10.0.0.1:8000"],
      ["ext-proc", "extProc: {listen: '0.0.0.0:7000'}", "127.0.0.1:7000"],
      ["query", "routeApi: {listen: '127.0.0.1:7000'}", "127.0.0.1:7000"],
      ["proxy", "metrics: {listen: '0.0.0.0:7000'}", "127.0.0.1:7000"],
    ].map(([mode, listener, endpoint]) => ({
      name: `a worker at ${endpoint} that is this process itself, with ${listener}`,
      text: `mode: ${mode}\nmodels: [{name: m, loadOnly: true}]\n${listener}\nworkers: [{name: w, endpoint: '${endpoint}'}]`,
      message: `workers[0].endpoint: expected a worker's address: here this process itself listens, ${listener?.split(":")[0]}.listen; got "${endpoint}"`,
    })),
    {
      name: "an engine's metrics page that is our own",
      text: "workers: [{name: w, endpoint: '10.0.0.1:80', metricsEndpoint: '127.0.0.1:9090'}]",
      message:
        'workers[0].metricsEndpoint: expected a worker\'s address: here this process itself listens, metrics.listen; got "127.0.0.1:9090"',
    },
    {
      name: "a worker at the address of a listener that no mode needs, or of another host",
      text: "proxy: {listen: '127.0.0.1:8000'}\nworkers: [{name: v, endpoint: '127.0.0.1:8000'}, {name: w, endpoint: '10.0.0.1:9002'}]",
      message: "accepted",
    },
  ])("$name", ({ text, message }) => {
    expect(messageOf(text)).toEqual(message);
  });
});
