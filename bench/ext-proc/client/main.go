// extprocbench: drives any Envoy ext_proc endpoint picker the way Envoy does in
// FULL_DUPLEX_STREAMED mode and measures time-to-pick.
// One stream per request: request_headers -> request_body chunk(s) (EOS) ->
// wait for the request-headers response (destination header) + whole body echo ->
// [optional] response_headers -> response_body(EOS) -> close.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	core "github.com/envoyproxy/go-control-plane/envoy/config/core/v3"
	filterv3 "github.com/envoyproxy/go-control-plane/envoy/extensions/filters/http/ext_proc/v3"
	ep "github.com/envoyproxy/go-control-plane/envoy/service/ext_proc/v3"
	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
)

var _ = filterv3.ProcessingMode{}

var (
	addr     = flag.String("addr", "127.0.0.1:19002", "ext_proc address")
	conc     = flag.Int("c", 1, "concurrent streams")
	n        = flag.Int("n", 1000, "requests")
	warm     = flag.Int("warm", 100, "warmup requests")
	size     = flag.Int("size", 1024, "approx body bytes")
	chunk    = flag.Int("chunk", 16384, "request body chunk bytes (Envoy h1/h2 read size 16KiB)")
	work     = flag.String("work", "shared", "unique|shared|repeat: unique text; shared = K convs sharing prefix + unique tail; repeat = K identical bodies")
	k        = flag.Int("k", 16, "distinct conversations")
	model    = flag.String("model", "sim-model", "model")
	path     = flag.String("path", "/v1/chat/completions", "path")
	resp     = flag.Bool("resp", true, "also play the response phase")
	conns    = flag.Int("conns", 1, "gRPC connections")
	seed     = flag.Int64("seed", 1, "seed")
	dist     = flag.Bool("dist", false, "print endpoint distribution")
	skipEcho = flag.Bool("noecho", false, "do not wait for body echo (BUFFERED-style pickers)")
	body     = flag.String("body", "", "file with a JSON body to use verbatim instead")
	turns    = flag.Int("turns", 8, "messages per conversation")
)

var words = strings.Fields("the of and to in a is that for it as was with be by on not he his but at are this have from or had an they which one you were all her she there would their we him been has when who will no more if out so up said what its about than into them can only other time new some could these two may first then do any like my now over such our man me even most made after also did many off before must well back through years much where your way down should because long each just state those people too mr how little good world make very year still see own work men day get here old life both between being under three never know same last another while us might great go come since against right came take used himself few house use place during without again home around small however found mrs part school thought went say general once upon every left war does got united number hand course water until always away public something fact though less put think almost head took yet government system better set told nothing night end why called didn eyes find going look asked later point next knew city program business give group toward days young let room president side social given present several order national second possible rather per face among form important often things looked early white case large need big four within felt along children saw best church ever least power development light thing seemed family interest want members mind country area others done turned although open god service certain kind problem began different door thus help sense means whole matter")

func text(r *rand.Rand, bytesN int) string {
	var b strings.Builder
	for b.Len() < bytesN {
		b.WriteString(words[r.Intn(len(words))])
		b.WriteByte(' ')
	}
	return b.String()[:bytesN]
}

type msg struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

func mkConv(r *rand.Rand, sys string, total, turns int) []msg {
	ms := []msg{{"system", sys}}
	left := total - len(sys) - 200
	if left < 200 {
		left = 200
	}
	per := left / turns
	for i := 0; i < turns; i++ {
		role := "user"
		if i%2 == 1 {
			role = "assistant"
		}
		ms = append(ms, msg{role, text(r, per)})
	}
	if ms[len(ms)-1].Role != "user" {
		ms[len(ms)-1].Role = "user"
	}
	return ms
}

func main() {
	flag.Parse()
	r := rand.New(rand.NewSource(*seed))
	total := *n + *warm
	sys := text(r, *size/4)
	convs := make([][]msg, *k)
	for i := range convs {
		convs[i] = mkConv(r, sys, *size, *turns)
	}
	mk := func(i int, rr *rand.Rand) []byte {
		var ms []msg
		switch *work {
		case "unique":
			ms = mkConv(rr, text(rr, *size/4), *size, *turns)
		case "repeat":
			ms = convs[i%*k]
		default:
			c := convs[i%*k]
			ms = append(append([]msg{}, c...), msg{"user", text(rr, 100)})
		}
		b, _ := json.Marshal(map[string]any{"model": *model, "messages": ms, "max_tokens": 16, "stream": true, "temperature": 0.7})
		return b
	}
	bodies := make([][]byte, total)
	if *body != "" {
		b, err := os.ReadFile(*body)
		if err != nil {
			panic(err)
		}
		for i := range bodies {
			bodies[i] = b
		}
	} else {
		for i := range bodies {
			bodies[i] = mk(i, r)
		}
	}
	cs := make([]ep.ExternalProcessorClient, *conns)
	for i := range cs {
		cc, err := grpc.NewClient(*addr, grpc.WithTransportCredentials(insecure.NewCredentials()),
			grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20), grpc.MaxCallSendMsgSize(64<<20)))
		if err != nil {
			panic(err)
		}
		cs[i] = ep.NewExternalProcessorClient(cc)
	}
	lat := make([]time.Duration, total)
	full := make([]time.Duration, total)
	var idx, errs, shed int64 = -1, 0, 0
	var mu sync.Mutex
	distm := map[string]int{}
	codes := map[string]int{}
	respBody := []byte("data: {\"choices\":[],\"usage\":{\"prompt_tokens\":100,\"completion_tokens\":16,\"total_tokens\":116}}\n\ndata: [DONE]\n\n")
	one := func(i int) {
		ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
		defer cancel()
		b := bodies[i]
		t0 := time.Now()
		st, err := cs[i%len(cs)].Process(ctx)
		if err != nil {
			atomic.AddInt64(&errs, 1)
			return
		}
		hv := func(k, v string) *core.HeaderValue { return &core.HeaderValue{Key: k, RawValue: []byte(v)} }
		_ = st.Send(&ep.ProcessingRequest{Request: &ep.ProcessingRequest_RequestHeaders{RequestHeaders: &ep.HttpHeaders{Headers: &core.HeaderMap{Headers: []*core.HeaderValue{
			hv(":method", "POST"), hv(":path", *path), hv(":scheme", "http"), hv(":authority", "llm.local"), hv("content-type", "application/json"),
			hv("content-length", fmt.Sprint(len(b))), hv("x-request-id", fmt.Sprintf("req-%d-%d", *seed, i)), hv("user-agent", "extprocbench")}}}},
			ProtocolConfig: &ep.ProtocolConfiguration{RequestBodyMode: filterv3.ProcessingMode_FULL_DUPLEX_STREAMED, ResponseBodyMode: filterv3.ProcessingMode_FULL_DUPLEX_STREAMED}})
		for o := 0; o < len(b); o += *chunk {
			e := o + *chunk
			if e > len(b) {
				e = len(b)
			}
			_ = st.Send(&ep.ProcessingRequest{Request: &ep.ProcessingRequest_RequestBody{RequestBody: &ep.HttpBody{Body: b[o:e], EndOfStream: e == len(b)}}})
		}
		picked := ""
		got := 0
		for {
			m, err := st.Recv()
			if err != nil {
				mu.Lock()
				codes["stream:"+err.Error()]++
				mu.Unlock()
				atomic.AddInt64(&errs, 1)
				return
			}
			if ir := m.GetImmediateResponse(); ir != nil {
				mu.Lock()
				codes[fmt.Sprintf("immediate:%d %s", ir.GetStatus().GetCode(), string(ir.GetBody()))]++
				mu.Unlock()
				atomic.AddInt64(&shed, 1)
				return
			}
			cr := m.GetRequestHeaders().GetResponse()
			if cr == nil {
				cr = m.GetRequestBody().GetResponse()
			}
			if hm := cr.GetHeaderMutation(); hm != nil {
				for _, h := range hm.GetSetHeaders() {
					if strings.EqualFold(h.GetHeader().GetKey(), "x-gateway-destination-endpoint") {
						picked = string(h.GetHeader().GetRawValue())
						if picked == "" {
							picked = h.GetHeader().GetValue()
						}
						if lat[i] == 0 {
							lat[i] = time.Since(t0)
						}
					}
				}
			}
			if rb := m.GetRequestBody(); rb != nil {
				sr := rb.GetResponse().GetBodyMutation().GetStreamedResponse()
				got += len(sr.GetBody())
				if sr == nil || sr.GetEndOfStream() {
					break
				}
			} else if *skipEcho && picked != "" {
				break
			}
		}
		full[i] = time.Since(t0)
		mu.Lock()
		distm[picked]++
		if got != len(b) && !*skipEcho {
			codes[fmt.Sprintf("echo %d!=%d", got, len(b))]++
		}
		mu.Unlock()
		if *resp {
			_ = st.Send(&ep.ProcessingRequest{Request: &ep.ProcessingRequest_ResponseHeaders{ResponseHeaders: &ep.HttpHeaders{Headers: &core.HeaderMap{Headers: []*core.HeaderValue{hv(":status", "200"), hv("content-type", "text/event-stream")}}}}})
			_ = st.Send(&ep.ProcessingRequest{Request: &ep.ProcessingRequest_ResponseBody{ResponseBody: &ep.HttpBody{Body: respBody, EndOfStream: true}}})
			for {
				m, err := st.Recv()
				if err != nil {
					break
				}
				if rb := m.GetResponseBody(); rb != nil {
					break
				}
			}
		}
		_ = st.CloseSend()
	}
	run := func(from, to int) time.Duration {
		atomic.StoreInt64(&idx, int64(from)-1)
		var wg sync.WaitGroup
		t := time.Now()
		for w := 0; w < *conc; w++ {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for {
					i := int(atomic.AddInt64(&idx, 1))
					if i >= to {
						return
					}
					one(i)
				}
			}()
		}
		wg.Wait()
		return time.Since(t)
	}
	run(0, *warm)
	d := run(*warm, total)
	ok := lat[*warm:]
	fl := full[*warm:]
	clean := func(a []time.Duration) []time.Duration {
		o := a[:0:0]
		for _, x := range a {
			if x > 0 {
				o = append(o, x)
			}
		}
		sort.Slice(o, func(i, j int) bool { return o[i] < o[j] })
		return o
	}
	l, f := clean(ok), clean(fl)
	q := func(a []time.Duration, p float64) float64 {
		if len(a) == 0 {
			return 0
		}
		i := int(p * float64(len(a)-1))
		return float64(a[i].Microseconds()) / 1000
	}
	fmt.Printf("work=%s size=%d body=%d c=%d n=%d ok=%d err=%d shed=%d wall=%.2fs picks/s=%.0f pick_ms p50=%.2f p90=%.2f p99=%.2f max=%.2f | echo_ms p50=%.2f p99=%.2f\n",
		*work, *size, len(bodies[total-1]), *conc, *n, len(l), errs, shed, d.Seconds(), float64(len(l))/d.Seconds(), q(l, .5), q(l, .9), q(l, .99), q(l, 1), q(f, .5), q(f, .99))
	if *dist {
		fmt.Println(distm)
	}
	for c, v := range codes {
		fmt.Println("  ", v, "x", c[:min(len(c), 300)])
	}
	_ = bytes.MinRead
}
